import { accessSync, constants } from 'node:fs';

/** The browser that the dashboard is tested in: `CHROMIUM_PATH`, else Debian's. Undefined: there is none. */
export const CHROMIUM = [process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'].find(isExecutable);

/** Put behind the title of what is skipped without it. */
export const SKIPPED =
  CHROMIUM === undefined
    ? ' (skipped: no Chromium; tools/install-chromium.sh installs it, CHROMIUM_PATH names another one)'
    : '';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
