/** What the package `darkroom-emulator` gives: an emulator of the media API to start in a process of one's own. */
export type { Charge } from './accounts/ledger.ts';
export type { Assumptions } from './assumptions.ts';
export { EnvironmentError, readEnvironment } from './config/environment.ts';
export type { FaultRuleInput } from './faults/rule.ts';
export { ListenError } from './http/listen.ts';
export type { AccountOption, EmulatorOptions } from './options.ts';
export { runEmulator } from './run-emulator.ts';
export { type Emulator, startEmulator } from './server.ts';
export { StorageError } from './storage/sqlite-storage.ts';
