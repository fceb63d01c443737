import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Runtime } from '@temporalio/worker';
import { describe, expect, inject, it } from 'vitest';
import '../setup/quiet-temporal.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { useEmulator } from '../../src/testing/index.ts';

describe('useEmulator', { timeout: 120_000 }, () => {
  it('leaves the runtime alone that its process has installed, also when nothing uses it', async () => {
    const { logger } = Runtime.defaultOptions;
    expect(logger).toBeDefined();
    const server = { address: inject('temporalAddress'), namespace: inject('temporalNamespace') };
    // With each end the SDK shuts the runtime down, and makes it anew for the next one.
    for (let times = 0; times < 2; times += 1) await (await connectWorker(server)).close();
    await using darkroom = await useEmulator();
    expect(darkroom.charges()).toEqual([]);
    expect(Runtime.defaultOptions.logger).toBe(logger);
  });

  it('gives a test all that generating needs, and tells what was charged', async () => {
    await using darkroom = await useEmulator({
      faults: [{ on: 'submit', times: 1, fault: { kind: 'lost-after' } }],
    });
    const buy = () => darkroom.client.generate('image-l', { prompt: 'a red fox' }, { key: 'order-17' });
    const [one, two] = await Promise.all([buy(), buy()]);
    expect(two).toEqual(one);
    expect(darkroom.charges()).toHaveLength(1);
    expect(darkroom.charges('generation/order-17')).toHaveLength(1);
    expect(darkroom.charges('generation/order-18')).toEqual([]);
  });

  it('lets things go wrong while a test runs, and keeps each of its uses apart', async () => {
    await using one = await useEmulator();
    await using other = await useEmulator();
    one.fault({ on: 'submit', fault: { kind: 'error', code: 'UNAUTHORIZED' } });
    const refused = one.client.generate('image-l', { prompt: 'x' }, { key: 'same' });
    await expect(refused).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await other.client.generate('image-l', { prompt: 'x' }, { key: 'other' });
    expect(one.charges()).toEqual([]);
    expect(other.charges()).toHaveLength(1);
  });

  it('ends with the test, so that its program ends, too', () => {
    const program = fileURLToPath(new URL('charged-once.ts', import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--test', program], {
      encoding: 'utf8',
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      timeout: 100_000,
    });
    expect(`${stdout}${stderr}`).toContain('pass 1');
    expect(status).toBe(0);
  });
});
