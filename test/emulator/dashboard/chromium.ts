import { accessSync, constants } from 'node:fs';
import { patience } from '../../patience.ts';

/** Debian's: the one without windows takes a third less of the processor. */
const DEBIANS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** The browser that the dashboard is tested in: `CHROMIUM_PATH`, else Debian's. Undefined: there is none. */
export const CHROMIUM = (process.env['CHROMIUM_PATH'] ? [process.env['CHROMIUM_PATH']] : DEBIANS).find(
  isExecutable,
);

/** Put behind the title of what is skipped without it. */
export const SKIPPED =
  CHROMIUM === undefined
    ? ' (skipped: no Chromium; tools/install-chromium.sh installs it, CHROMIUM_PATH names another one)'
    : '';

/** How long a test in it may take. */
export const IN_A_BROWSER = { timeout: patience(120_000) };

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
