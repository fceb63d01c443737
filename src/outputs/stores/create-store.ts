import type { OutputLocation } from '../output-location.ts';
import { createFileStore } from './file-store.ts';
import type { OutputStore } from './output-store.ts';
import { createS3Store } from './s3-store.ts';

/** The store at a location. Touches neither disk nor network: `check()` on the result does. */
export function createOutputStore(location: OutputLocation): OutputStore {
  return location.kind === 'folder' ? createFileStore(location.path) : createS3Store(location);
}
