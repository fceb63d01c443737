import { quietTemporal } from '../../src/worker/log.ts';

/** What runs and activities of this process have said in its log, of all worlds together. */
export const logged: { fields: object; message: string }[] = [];

const note = (fields: object, message = ''): void => void logged.push({ fields, message });

// The SDK's runtime can be told once in a process, and files of tests share theirs: whatever starts one imports this.
quietTemporal({ debug() {}, info: note, warn: note });
