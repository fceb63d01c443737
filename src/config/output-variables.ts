import { resolve } from 'node:path';
import { shown } from '../api/text/shown.ts';
import { type OutputLocation, parseOutputLocation } from '../outputs/output-location.ts';
import { type PublicOutputs, parsePublicOutputs } from '../outputs/public-outputs.ts';
import { SettingsReader } from './settings-reader.ts';
import type { Variable } from './variables.ts';

const DEFAULT_OUTPUTS = './outputs';

/** The store: where results go, and the files that requests name. */
export interface StoreSettings {
  outputs: OutputLocation;
  /** How others can reach stored files; undefined: they cannot. */
  publicOutputs?: PublicOutputs | undefined;
}

/** The same for who needs nothing else. @throws ConfigError */
export function loadStoreSettings(env: NodeJS.ProcessEnv): StoreSettings {
  const reader = new SettingsReader(env);
  const settings = readStoreSettings(reader);
  reader.check();
  return settings;
}

export function readStoreSettings(reader: SettingsReader): StoreSettings {
  const outputs = reader.read(OUTPUTS) ?? { kind: 'folder' as const, path: resolve(DEFAULT_OUTPUTS) };
  const publicOutputs = reader.read(PUBLIC_OUTPUTS);
  if (publicOutputs?.kind === 'presigned' && outputs.kind !== 's3') {
    const { name, example } = PUBLIC_OUTPUTS;
    reader.problems.push({ setting: name, wrong: 'is presigned, which is for files in a bucket', example });
  }
  reader.read(S3_PATH_STYLE); // DARKROOM_OUTPUTS has taken it; a wrong one is told even where it has no use
  return { outputs, publicOutputs };
}

/** Whether a bucket stands in the path; `parseOutputLocation` has the default. */
const S3_PATH_STYLE: Variable<string> = {
  name: 'DARKROOM_S3_PATH_STYLE',
  example: 'DARKROOM_S3_PATH_STYLE=true',
  parse(text) {
    if (text === 'true' || text === 'false') return { value: text };
    return { wrong: `is ${shown(text)}, but must be true or false` };
  },
};

const OUTPUTS: Variable<OutputLocation> = {
  name: 'DARKROOM_OUTPUTS',
  example: 'DARKROOM_OUTPUTS=./outputs (or file:///srv/outputs, or s3://bucket/prefix)',
  parse(text, env) {
    const location = parseOutputLocation(text, env);
    return typeof location === 'string' ? { wrong: location } : { value: location };
  },
};

/** How others, the media API first, can reach stored files once the API's own URLs have expired. */
const PUBLIC_OUTPUTS: Variable<PublicOutputs> = {
  name: 'DARKROOM_PUBLIC_OUTPUTS',
  example: 'DARKROOM_PUBLIC_OUTPUTS=https://files.example.com/darkroom (or presigned:24h for a bucket)',
  parse(text) {
    const setting = parsePublicOutputs(text);
    return typeof setting === 'string' ? { wrong: setting } : { value: setting };
  },
};
