import { loadStoreSettings, type StoreSettings } from '../../config/output-variables.ts';

interface Given {
  outputs?: string | undefined;
  publicOutputs?: string | undefined;
}

/** The store as the worker's two variables would say it; this process's where they are not given. @throws ConfigError */
export function storeOf({ outputs, publicOutputs }: Given = {}): StoreSettings {
  return loadStoreSettings({
    ...process.env,
    ...(outputs === undefined ? {} : { DARKROOM_OUTPUTS: outputs }),
    ...(publicOutputs === undefined ? {} : { DARKROOM_PUBLIC_OUTPUTS: publicOutputs }),
  });
}
