/**
 * `temporal-darkroom/testing`: the media API's emulator, a Temporal server and a worker for a service's own tests, in one line, in
 * Vitest, node:test or any other runner.
 */
import { PACKAGE } from '../package/name.ts';
import { LOCAL_PACKAGES, needPackages } from '../package/needed-packages.ts';
import type { TestDarkroom, TestOptions } from './start-test-darkroom.ts';

export type { TestDarkroom, TestOptions } from './start-test-darkroom.ts';

/**
 * Starts all that generating needs. Nothing of it costs anything, and `charges()` tells what would have.
 *
 * ```ts
 * test('an order is charged once', async () => {
 *   await using darkroom = await useEmulator({ faults: [{ on: 'submit', times: 1, fault: { kind: 'lost-after' } }] });
 *   await Promise.all([makePicture(darkroom.client, 'order-17'), makePicture(darkroom.client, 'order-17')]);
 *   expect(darkroom.charges()).toHaveLength(1);
 * });
 * ```
 *
 * The Temporal server is the one at TEMPORAL_ADDRESS, else one that is found, fetched or built once and started with the
 * first call; it ends with the process. Everything else ends with `stop`, which `await using` calls.
 *
 * @throws MissingPackages; TemporalUnavailableError when no Temporal server can be had
 */
export async function useEmulator(options: TestOptions = {}): Promise<TestDarkroom> {
  needPackages(`${PACKAGE}/testing`, LOCAL_PACKAGES);
  const { startTestDarkroom } = await import('./start-test-darkroom.ts');
  return await startTestDarkroom(options);
}
