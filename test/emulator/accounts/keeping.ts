import { Changes } from '../../../emulator/src/storage/changes.ts';
import type { Keeping } from '../../../emulator/src/storage/collection.ts';
import { sqliteStorage } from '../../../emulator/src/storage/sqlite-storage.ts';

/** A database in memory: what is made on it a second time is as after a restart. */
export function keeping(): Keeping {
  return { storage: sqliteStorage(':memory:'), changes: new Changes() };
}
