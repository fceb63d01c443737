import { randomUUID } from 'node:crypto';
import proto from '@temporalio/proto';
import type { FaultRuleInput } from '../../emulator/src/faults/rule.ts';
import { rowDigest } from '../../src/client/batch/row-digest.ts';
import { startBatch } from '../../src/client/batch/start-batch.ts';
import { DarkroomClient } from '../../src/client/index.ts';
import { readHistory } from '../../src/temporal/history.ts';
import type { BenchOptions } from '../bench-options.ts';
import { type Figure, figure, median, rounded } from '../measure.ts';
import { progress } from '../progress.ts';
import { ActionCount, total } from '../stage/action-count.ts';
import { type ContenderName, type RequestOptions, taskQueueOf } from '../stage/contenders.ts';
import { Stage } from '../stage/stage.ts';

const { History } = proto.temporal.api.history.v1;

interface Way {
  /** After the figure's name; empty for the happy path. */
  suffix: string;
  words: string;
  /** What a generation with that prompt meets. */
  faults?: (prompt: string) => FaultRuleInput[];
  policy?: object;
  target?: string;
}

const once = (prompt: string) => ({ match: { promptIncludes: prompt }, times: 1 });

const WAYS: readonly Way[] = [
  { suffix: '', words: 'the happy path', target: '<= 6' },
  {
    suffix: '.slow',
    words: 'an API that answers a submit after 4 s',
    faults: (prompt) => [{ on: 'submit', ...once(prompt), fault: { kind: 'slow', ms: 4_000 } }],
  },
  {
    suffix: '.heartbeats',
    words: 'an API that answers a submit after 20 s, in which it heartbeats',
    faults: (prompt) => [{ on: 'submit', ...once(prompt), fault: { kind: 'slow', ms: 20_000 } }],
  },
  {
    suffix: '.retry',
    words: 'a submit that is refused once and tried again',
    faults: (prompt) => [
      { on: 'submit', ...once(prompt), fault: { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } },
    ],
    policy: { retries: { PROVIDER_UNAVAILABLE: { initial: '100ms' } } },
  },
  {
    suffix: '.resubmission',
    words: 'a task that fails, and a second one',
    faults: (prompt) => [{ on: 'task', ...once(prompt), fault: { kind: 'fail' } }],
    policy: { retries: { FAILED: { initial: '100ms' } } },
  },
  {
    suffix: '.polling',
    words: 'no webhook, a task of 4 s, and a tenth of the intervals of a pace that is given',
    faults: (prompt) => [
      { on: 'webhook', match: { promptIncludes: prompt }, fault: { kind: 'lost' } },
      { on: 'task', ...once(prompt), fault: { kind: 'slow', ms: 4_000 } },
    ],
    policy: { polling: { first: '1s', factor: 1.5, max: '12s' } },
  },
  {
    suffix: '.lost',
    words: "an answer to the submit that gets lost, and the task's webhooks",
    faults: (prompt) => [{ on: 'submit', ...once(prompt), fault: { kind: 'lost-after' } }],
  },
];

/** Tasks that take so long (seconds), and a model whose tasks do. */
const TASKS = [
  { seconds: 3, model: 'image-l' },
  { seconds: 30, model: 'video-d' },
  { seconds: 180, model: 'video-g' },
] as const;
const ROWS = 100;
/** As many of a process's users look at one run. */
const WATCHERS = 24;

/**
 * What work leaves in Temporal, and the actions that it takes by the server's own count: what is done at the same time
 * is counted together, and divided by the number of generations.
 */
export async function cost({ rounds, quick }: BenchOptions): Promise<Figure[]> {
  const tasks = quick ? TASKS.slice(0, 1) : TASKS;
  // Each counts on a server of its own, because the count does not tell one run from another.
  const figures = await Promise.all([
    onStage((bench) => bench.waysOf(rounds)),
    ...[0, 1, WATCHERS].map((watchers) => onStage((bench) => bench.tasksOf(tasks, rounds, watchers))),
  ]);
  return figures.flat();
}

async function onStage(measure: (bench: CostBench) => Promise<Figure[]>): Promise<Figure[]> {
  await using stage = await Stage.open();
  await stage.start('darkroom');
  await stage.start('byhand');
  // From here on the worker knows that the workspace's webhooks arrive.
  await stage.generation('darkroom');
  return await measure(new CostBench(stage));
}

class CostBench {
  readonly #stage: Stage;
  readonly #actions: ActionCount;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#actions = new ActionCount(stage.temporal.metricsUrl ?? '', stage.temporal.namespace);
  }

  async waysOf(rounds: number): Promise<Figure[]> {
    const byHand = await this.#generate('byhand', rounds, {});
    const figures: Figure[] = [];
    for (const { suffix, words, faults, policy, target } of WAYS) {
      progress(`cost: ${words}`);
      const request = policy === undefined ? {} : { policy };
      const made = await this.#generate('darkroom', rounds, request, faults);
      const of = (part: 'events' | 'bytes', goal?: string): Figure =>
        figure(`cost.${part}${suffix}`, made[part], {
          unit: part,
          target: suffix === '' ? (goal ?? null) : null,
          baseline: `${words}; by hand, happy: ${rounded(median(byHand[part]))} ${part}`,
        });
      const told = `${words}: ${kinds(made.actions, rounds)}; by hand, happy: ${total(byHand.actions) / rounds}`;
      figures.push(
        of('events', '<= 20'),
        actions(`cost.actions${suffix}`, made.actions, rounds, { words: told, target }),
        of('bytes'),
      );
    }
    return [...figures, ...(await this.#pipelines(rounds)), await this.#batch()];
  }

  async tasksOf(
    tasks: readonly (typeof TASKS)[number][],
    rounds: number,
    watchers: number,
  ): Promise<Figure[]> {
    const figures: Figure[] = [];
    for (const { seconds, model } of tasks) {
      const words = `followed by ${watchers}, ${rounds} at once`;
      progress(`cost: tasks of ${seconds} s, ${words}`);
      const slow = (prompt: string): FaultRuleInput[] => [
        { on: 'task', ...once(prompt), fault: { kind: 'slow', ms: 1_000 * seconds } },
      ];
      const made = await this.#generate('darkroom', rounds, { model }, slow, watchers);
      const watched = ['', 'watched.'][watchers] ?? `watched-by-${watchers}.`;
      const name = `${watched}${seconds}s`;
      figures.push(
        actions(`cost.actions.${name}`, made.actions, rounds, {
          words: `${words}: ${kinds(made.actions, rounds)}`,
          target: watchers === 0 ? '<= 7' : '<= 12',
        }),
        figure(`cost.gets.${name}`, made.gets, { unit: 'GETs', target: '<= 1', baseline: words }),
      );
    }
    return figures;
  }

  async #generate(
    name: ContenderName,
    rounds: number,
    request: RequestOptions,
    faults: (prompt: string) => FaultRuleInput[] = () => [],
    watchers = 0,
  ) {
    const { client, emulator } = this.#stage;
    const darkroom = new DarkroomClient(client, { taskQueue: taskQueueOf(name) });
    const [events, bytes, gets]: number[][] = [[], [], []];
    const workflowIds: string[] = [];
    const generate = async (): Promise<void> => {
      const prompt = `a lighthouse at dawn ${randomUUID()}`;
      for (const rule of faults(prompt)) await emulator.fault(rule);
      const handle = await this.#stage.generate(name, { ...request, prompt });
      workflowIds.push(handle.workflowId);
      const watch = async (): Promise<void> => {
        for await (const _ of (await darkroom.attach(handle.workflowId)).progress()) continue;
      };
      await Promise.all(Array.from({ length: watchers }, watch));
      await handle.result();
    };
    const used = await this.#actions.of(() => Promise.all(Array.from({ length: rounds }, generate)));
    for (const workflowId of workflowIds) {
      const { runId } = await client.workflow.getHandle(workflowId).describe();
      const history = (await readHistory(client, workflowId, runId)) ?? [];
      events?.push(history.length);
      bytes?.push(History.encode(History.create({ events: history })).finish().byteLength);
      for (const { id } of await emulator.tasksOf(workflowId)) gets?.push((await emulator.task(id)).gets);
    }
    return { actions: used, events: events ?? [], bytes: bytes ?? [], gets: gets ?? [] };
  }

  async #pipelines(rounds: number): Promise<Figure[]> {
    const { client } = this.#stage;
    const darkroom = new DarkroomClient(client, { taskQueue: taskQueueOf('darkroom') });
    const measure = async (isWatched: boolean): Promise<Figure> => {
      const run = async (): Promise<void> => {
        const pipeline = await darkroom.start(FILM);
        if (isWatched) for await (const _ of pipeline.progress()) continue;
        await pipeline.result();
      };
      const used = await this.#actions.of(() => Promise.all(Array.from({ length: rounds }, run)));
      const words = `three steps, ${isWatched ? 'followed' : 'not followed'}: ${kinds(used, rounds)}`;
      return actions(`cost.actions.${isWatched ? 'watched.' : ''}pipeline`, used, rounds, { words });
    };
    return [await measure(false), await measure(true)];
  }

  /** A generation's share of a batch of one step a row. */
  async #batch(): Promise<Figure> {
    const { client } = this.#stage;
    const workflowId = `batch/${randomUUID()}`;
    const pipeline = {
      steps: { still: { model: 'image-l', input: { prompt: { $param: 'prompt' } } } },
    } as const;
    const rows = Array.from({ length: ROWS }, (_, row) => {
      const values = { prompt: `row ${row}` };
      return { id: `${row}`, values, digest: rowDigest(pipeline, values) };
    });
    const used = await this.#actions.of(async () => {
      await startBatch(client, {
        workflowId,
        taskQueue: taskQueueOf('darkroom'),
        pipeline,
        rows,
      });
      await client.workflow.getHandle(workflowId).result();
    });
    return actions('cost.actions.batch', used, ROWS, {
      words: `a row of ${ROWS}, one step each: ${kinds(used, ROWS)}`,
    });
  }
}

const FILM = {
  steps: {
    still: { model: 'image-l', input: { prompt: 'a lighthouse at dawn' } },
    large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
    clip: { model: 'video-f', input: { prompt: 'slow zoom', first_frame_url: { $from: 'large' } } },
  },
} as const;

function actions(
  name: string,
  used: ReadonlyMap<string, number>,
  among: number,
  { words, target }: { words: string; target?: string | undefined },
): Figure {
  return figure(name, [total(used) / among], { unit: 'actions', target: target ?? null, baseline: words });
}

/** `StartTimer 1, QueryWorkflow 3`, for each of so many. */
function kinds(used: ReadonlyMap<string, number>, among: number): string {
  return [...used].map(([kind, count]) => `${kind} ${rounded(count / among)}`).join(', ');
}
