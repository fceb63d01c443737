import type { Browser } from 'playwright-core';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller } from '../api-caller.ts';
import { openBrowser } from './page.ts';

/** A browser, and an emulator whose tasks go on only when a test tells them to. */
export interface DashboardStage {
  browser: Browser;
  emulator: Emulator;
  api: ApiCaller;
  close(): Promise<void>;
}

export async function openStage(): Promise<DashboardStage> {
  const browser = await openBrowser();
  const emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 60_000, run: 60_000 },
  });
  return {
    browser,
    emulator,
    api: new ApiCaller(emulator),
    async close() {
      await browser.close();
      await emulator.close();
    },
  };
}
