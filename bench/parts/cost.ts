import proto from '@temporalio/proto';
import type { FaultRuleInput } from '../../emulator/src/faults/rule.ts';
import { entityId } from '../../src/contract/workflow-ids.ts';
import { readHistory } from '../../src/temporal/history.ts';
import type { BenchOptions } from '../bench-options.ts';
import { billableActions } from '../billable-actions.ts';
import { type Figure, figure, median, rounded } from '../measure.ts';
import { type ContenderName, taskQueueOf } from '../stage/contenders.ts';
import { Stage } from '../stage/stage.ts';

const { History } = proto.temporal.api.history.v1;

interface Cost {
  events: number;
  actions: number;
  bytes: number;
}

interface Way {
  /** After the figure's name; empty for the happy path, which has targets. */
  suffix: string;
  words: string;
  /** What goes wrong, each time for the generation with that prompt. */
  faults: (prompt: string) => FaultRuleInput[];
  policy?: object;
}

const onlyFor = (prompt: string) => ({ match: { promptIncludes: prompt }, times: 1 });

const WAYS: readonly Way[] = [
  { suffix: '', words: 'the happy path', faults: () => [] },
  {
    suffix: '.retry',
    words: 'a submit that is refused once and tried again',
    faults: (prompt) => [
      { on: 'submit', ...onlyFor(prompt), fault: { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } },
    ],
    policy: { retries: { PROVIDER_UNAVAILABLE: { initial: '100ms' } } },
  },
  {
    suffix: '.resubmission',
    words: 'a task that fails, and a second one',
    faults: (prompt) => [{ on: 'task', ...onlyFor(prompt), fault: { kind: 'fail' } }],
    policy: { retries: { FAILED: { initial: '100ms' } } },
  },
  {
    suffix: '.polling',
    words: 'no webhook, a task of 4 s, and a tenth of the usual polling intervals',
    faults: (prompt) => [
      { on: 'webhook', match: { promptIncludes: prompt }, fault: { kind: 'lost' } },
      { on: 'task', ...onlyFor(prompt), fault: { kind: 'slow', ms: 4_000 } },
    ],
    policy: { polling: { first: '1s', factor: 1.5, max: '12s' } },
  },
  {
    suffix: '.lost',
    words: "an answer to the submit that gets lost, and the task's webhooks",
    faults: (prompt) => [{ on: 'submit', ...onlyFor(prompt), fault: { kind: 'lost-after' } }],
  },
];

/** What a generation leaves in Temporal: events, bytes, and the actions that Temporal Cloud bills. */
export async function cost({ rounds }: BenchOptions): Promise<Figure[]> {
  await using stage = await Stage.open();
  await stage.start('darkroom');
  await stage.start('byhand');
  const figures: Figure[] = [];
  const byHand = await repeat(rounds, () => costOf(stage, 'byhand', 'happy'));
  for (const { suffix, words, faults, policy } of WAYS) {
    let entity = 0;
    const costs = await repeat(rounds, async (round) => {
      const prompt = `a lighthouse${suffix || '.happy'} at dawn ${round}`;
      for (const rule of faults(prompt)) await stage.emulator.fault(rule);
      const before = await entityEvents(stage);
      const cost = await costOf(stage, 'darkroom', prompt, policy);
      entity = (await entityEvents(stage)) - before;
      return cost;
    });
    const middle = (part: keyof Cost): string => rounded(median(byHand.map((one) => one[part]))).toString();
    const aside = entity === 0 ? '' : `; beside it ${entity} events of unclaimed-tasks`;
    const of = (part: keyof Cost, unit: string, target?: string): Figure =>
      figure(
        `cost.${part}${suffix}`,
        costs.map((one) => one[part]),
        {
          unit,
          target: suffix === '' ? (target ?? null) : null,
          baseline: `${words}; by hand, happy: ${middle(part)} ${unit}${aside}`,
        },
      );
    figures.push(of('events', 'events', '<= 20'), of('actions', 'actions', '<= 6'), of('bytes', 'bytes'));
  }
  return figures;
}

async function costOf(stage: Stage, name: ContenderName, prompt: string, policy?: object): Promise<Cost> {
  const handle = await stage.generate(name, { prompt, ...(policy === undefined ? {} : { policy }) });
  await handle.result();
  const { runId } = await handle.describe();
  const events = (await readHistory(stage.client, handle.workflowId, runId)) ?? [];
  return {
    events: events.length,
    actions: billableActions(events),
    bytes: History.encode(History.create({ events })).finish().byteLength,
  };
}

/** How long the history of the entity is that lost tasks go to; it may have gone on in another run. */
async function entityEvents({ client }: Stage): Promise<number> {
  const handle = client.workflow.getHandle(entityId('unclaimed-tasks', 'default', taskQueueOf('darkroom')));
  return await handle.describe().then(
    ({ historyLength }) => historyLength,
    () => 0, // it has not been needed
  );
}

async function repeat<T>(times: number, work: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < times; round++) results.push(await work(round));
  return results;
}
