import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { Cap } from '../../src/policy/caps.ts';
import { periodEnd, periodOf } from '../../src/policy/periods.ts';
import { patience } from '../patience.ts';
import { billed } from './billed.ts';
import { overCap, unlikeLedger } from './cap-books.ts';
import { type Stage, setStage } from './stage.ts';
import { startPlanned } from './start-workflow.ts';
import { sizeFor } from './storm-size.ts';
import { untilDone } from './until-done.ts';

const COUNT = 100;
const PRICE = 8;
const CAP: Cap = { name: 'storm', per: 'minute', credits: 500, action: 'wait' };

/** Workers by SIGKILL, Temporal's server told to end, all at once; then all of it is started again. */
async function killEverything({ workers, receiver, temporal }: Stage): Promise<void> {
  await Promise.all([...workers, receiver, temporal].map((one) => one.stop()));
  await temporal.start();
  for (const one of [...workers, receiver]) one.start();
}

it(
  'a cap holds where 100 come at once and everything is killed; what it does not admit is bought in the next period',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-cap-storm-'));
    // The times of a short storm.
    const stage = await setStage({ seed: 1, size: sizeFor(20), caps: [CAP], folder });
    try {
      const { client, emulator } = stage;
      await emulator.clearFaults();
      await delay((periodEnd(CAP.per, Date.now()) ?? 0) - Date.now());
      const since = Date.now();
      const ids = Array.from({ length: COUNT }, (_, n) => `generation/at-once-${n}`);
      await Promise.all(
        ids.map((workflowId) =>
          startPlanned(client, {
            at: 0,
            workflowId,
            type: 'generation',
            request: { model: 'image-l', input: { prompt: workflowId } },
          }),
        ),
      );
      for (const bought of [8, 30]) {
        // Without a known price one has all credits to itself, for two minutes where nobody hears what it has come to.
        await vi.waitFor(
          async () => expect((await emulator.charges()).length).toBeGreaterThanOrEqual(bought),
          { timeout: patience(180_000), interval: 20 },
        );
        await killEverything(stage);
      }
      expect(await untilDone(client, patience(400_000), () => undefined)).toBe(true);
      const charges = await emulator.charges();
      expect(overCap(CAP, charges)).toEqual([]);
      expect(new Set(charges.map(({ at }) => periodOf(CAP.per, Date.parse(at)))).size).toBeGreaterThan(1);
      for (const id of ids) {
        const { status } = await client.workflow.getHandle(id).describe();
        expect([id, status.name]).toEqual([id, 'COMPLETED']);
      }
      expect(charges.map(({ workflow }) => workflow).toSorted()).toEqual(ids.toSorted());
      const tasks = await billed(stage, since);
      expect(unlikeLedger(tasks, charges, new Set(charges.map(({ taskId }) => taskId)))).toEqual([]);
      expect(tasks.reduce((sum, { credits }) => sum + credits, 0)).toBe(COUNT * PRICE);
    } finally {
      await stage.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
  patience(600_000),
);
