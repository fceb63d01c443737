import { WorkflowFailedError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmulatorOptions } from '../../../emulator/src/server.ts';
import { patience } from '../../patience.ts';
import { FAST, type Generation, openWorld, type World } from '../world.ts';

const LIMIT = 4;
const BURST = 40;
/** What comes later takes eight seconds of a quick machine, by the limit alone. */
const LATER = patience(32);
/** Events would come, as far as the worker can tell: only then may a lost submit be sent again. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const LIMITED = {
  ...FAST,
  deadline: '60s',
  // A busy Temporal server may lose a submit on its way to the worker. Nothing tells of that without webhooks: it is
  // sent again, and the ledger would show if the first one had bought something.
  submit: { timeout: '20s', heartbeat: '20s' },
  reconcile: { wait: '1s', otherwise: 'resubmit' },
  retries: { ...FAST.retries, RATE_LIMITED: { initial: '1s', factor: 2, max: '10s', window: '2m' } },
} as const;

const accounts: NonNullable<EmulatorOptions['accounts']> = [
  { workspace: 'default' },
  {
    workspace: 'a',
    apiKey: 'key-of-a',
    rateLimit: { limit: LIMIT, windowMs: 1_000, retryAfter: 'seconds' },
  },
  { workspace: 'b', apiKey: 'key-of-b' },
];

describe('a workspace whose submits the API limits', () => {
  let world: World;
  beforeAll(async () => {
    const access = (apiKey: string) => ({ apiKey, webhookSecrets: [SECRET], legacy: 'refuse' as const });
    world = await openWorld({
      emulator: { accounts },
      config: {
        workspaces: new Map([
          ['a', access('key-of-a')],
          ['b', access('key-of-b')],
        ]),
      },
    });
  });
  afterAll(() => world.close());

  const start = (workspace: string, count: number): Promise<Generation[]> =>
    Promise.all(
      Array.from({ length: count }, () =>
        world.start({ model: 'image-l', input: { prompt: 'a lighthouse' }, workspace, policy: LIMITED }),
      ),
    );
  const bought = (workspace: string) => world.emulator.service().ledger.charges({ workspace });
  const refused = (): number => world.emulator.service().counters.snapshot().answers['submit 429'] ?? 0;
  /** The weight that limits `a` in the task queue of the submits. */
  const limitInQueue = async (): Promise<number | undefined> => {
    const { config } = await world.client.workflowService.describeTaskQueue({
      namespace: world.config.temporal.namespace,
      taskQueue: { name: `${world.config.taskQueue}-submit` },
      taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
      reportConfig: true,
    });
    return config?.fairnessWeightOverrides?.['a'];
  };
  const done = (generations: Promise<Generation[]>): Promise<unknown> => {
    const ended = generations.then((all) => Promise.all(all.map((generation) => generation.result())));
    // One that outlives a failed test is no error of its own.
    ended.catch(() => undefined);
    return ended;
  };

  it(
    'is slowed to the limit, with few refusals, while another one is not delayed',
    async () => {
      const burst = done(start('a', BURST));
      await expect.poll(limitInQueue, { timeout: patience(15_000) }).toBeDefined();
      const later = done(start('a', LATER));
      const others = done(start('b', 20));
      await expect.poll(() => bought('b').length, { timeout: patience(15_000) }).toBe(20);
      // Started last, and bought while the others wait for their turn.
      expect(bought('a').length).toBeLessThan(BURST + LATER);

      await Promise.all([burst, later, others]);
      expect(bought('a')).toHaveLength(BURST + LATER);
      expect(bought('b')).toHaveLength(20);
      expect(refused()).toBeLessThan((BURST + LATER) / 2);
    },
    patience(240_000),
  );

  it('is not slowed any more when its pace is cancelled', async () => {
    expect(await limitInQueue()).toBeDefined();
    const pace = world.client.workflow.getHandle(`submit-pace/a@${world.config.taskQueue}`);
    await pace.cancel();
    await expect(pace.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    expect(await limitInQueue()).toBeUndefined();
  });
});
