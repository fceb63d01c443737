import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../../../emulator/src/config/environment.ts';
import type { EmulatorOptions } from '../../../emulator/src/options.ts';

/** The options that an emulator gets which is started with a file of that content in `EMULATOR_CONFIG`. */
export function readConfig(content: unknown): EmulatorOptions {
  const folder = mkdtempSync(join(tmpdir(), 'emulator-config-'));
  try {
    writeFileSync(join(folder, 'emulator.json'), JSON.stringify(content));
    return readEnvironment({ EMULATOR_CONFIG: join(folder, 'emulator.json') });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
