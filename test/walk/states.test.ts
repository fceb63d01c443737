import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FaultRuleInput } from '../../emulator/src/index.ts';
import type { PipelineProgress } from '../../src/contract/pipeline.ts';
import { NEEDS_A_LOOK, SUBMITTING_AGAIN } from '../../src/contract/search-attributes.ts';
import { openStarterWorld, type StarterWorld } from '../starter/starter-world.ts';
import { eventually, FAST, logged } from '../workflows/world.ts';
import { PAGES, wordsOf } from './pages.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

/** A generation, or the one step of a pipeline, in a state that a person has to see. */
interface Waiting {
  faults: FaultRuleInput[];
  policy?: object;
  /** A pipeline of one step with these fields beside its model and input. */
  step?: object;
  /** The value of `DarkroomState`. */
  state: string | null;
  /** What the Current Details say. */
  details: string;
  /** What the log says, as a warning; null where the state needs nobody. */
  says: RegExp | null;
  cost: number;
}

const SLOWLY = { initial: '5s', factor: 1, max: '5s', window: '1h' };

const WAITING: Readonly<Record<string, Waiting>> = {
  'needs a decision': {
    faults: [{ on: 'submit', times: 1, fault: { kind: 'lost-before' } }],
    policy: { reconcile: { wait: '100ms', otherwise: 'ask' } },
    state: 'needs a decision',
    details: '`{"action":"resubmit"}`',
    says: /^needs a decision: /,
    cost: 8,
  },
  'needs a decision: a held step': {
    faults: [{ on: 'task', times: 1, fault: { kind: 'fail', code: 'INVALID_INPUT' } }],
    step: { onFailure: 'hold' },
    state: 'needs a decision',
    details: '`{"step":"only","action":"retry"}`',
    says: /^needs a decision: step only: IMAGE_GENERATION_INVALID_INPUT/,
    cost: 16,
  },
  'waiting for approval': {
    faults: [],
    step: { approve: true },
    state: 'waiting for approval',
    details: '- `approve` with `{"step":"only"}` buys it',
    says: /^waiting for approval: step only/,
    cost: 8,
  },
  'waiting for credits': {
    faults: [{ on: 'submit', times: 1, fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' } }],
    policy: { retries: { INSUFFICIENT_CREDITS: { ...SLOWLY, initial: '1h', max: '1h', window: '1d' } } },
    state: 'waiting for credits',
    details: '**Waiting for credits**',
    says: /^waiting for credits: /,
    cost: 8,
  },
  'storing is held up': {
    faults: [{ on: 'file', fault: { kind: 'expired' } }],
    state: 'storing is held up',
    details: 'the files are not stored yet',
    says: /^storing is held up: /,
    cost: 8,
  },
  'submitting again': {
    faults: [{ on: 'task', times: 1, fault: { kind: 'fail', code: 'FAILED' } }],
    policy: { retries: { FAILED: { ...SLOWLY, resubmissions: 1 } } },
    state: SUBMITTING_AGAIN,
    details: 'trying again after IMAGE_GENERATION_FAILED',
    says: null,
    cost: 16,
  },
  'record cannot be read': {
    faults: [
      { on: 'get', times: 1, fault: { kind: 'error', code: 'UNAUTHORIZED' } },
      { on: 'webhook', fault: { kind: 'lost' } },
    ],
    policy: { polling: { first: '500ms', factor: 100, max: '1h' }, deadline: '2h' },
    state: 'record cannot be read',
    details: '> cannot read the record: ',
    says: /^record cannot be read: cannot read the record: /,
    cost: 8,
  },
  'submit is held up': {
    faults: [{ on: 'submit', fault: { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } }],
    policy: {
      retries: { PROVIDER_UNAVAILABLE: { initial: '100ms', factor: 1, max: '100ms', window: '1h' } },
    },
    state: 'submit is held up',
    details: 'the submit is tried again and again',
    says: /^submit is held up: /,
    cost: 8,
  },
};

/** What shows the state everywhere that a person looks. */
async function isTold(handle: WorkflowHandle, { details, state, says }: Waiting): Promise<void> {
  const { workflowId } = handle;
  await eventually(async () => expect(await world.details(handle)).toContain(details));
  if (state === null) return;
  await eventually(async () => {
    const { searchAttributes } = await handle.describe();
    expect(searchAttributes['DarkroomState']).toEqual([state]);
  });
  if (says === null) return;
  await eventually(() => {
    const own = logged.filter(({ fields }) => (fields as { workflowId?: string }).workflowId === workflowId);
    expect(own.map(({ message }) => message)).toContainEqual(expect.stringMatching(says));
  });
  const listed = await world.runHere('list', '--needs-a-look', '--json');
  expect(listed.json()).toContainEqual(expect.objectContaining({ workflowId, state }));
}

/** Types what a page says; where a person is asked, `show` says it, too. */
async function followPage(title: string, workflowId: string, isShown: boolean): Promise<void> {
  for (const command of PAGES.get(title)?.commands ?? []) {
    const words = wordsOf(command, { 'workflow id': [workflowId], step: ['only'] });
    const shown = await world.runHere('show', workflowId);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(isShown ? words.join(' ') : workflowId);
    const { code } = await world.runHere(...words);
    expect({ command, code }).toEqual({ command, code: 0 });
  }
}

it('every state that needs a look is walked', () => {
  const states = new Set(Object.values(WAITING).map(({ state }) => state));
  expect(states).toEqual(new Set([...NEEDS_A_LOOK, SUBMITTING_AGAIN]));
});

it.for(Object.entries(WAITING))(
  '%s is seen everywhere, and ends well by its page',
  async ([title, waiting]) => {
    const prompt = randomUUID();
    const kind = waiting.step === undefined ? 'generation' : 'pipeline';
    const workflowId = `${kind}/${randomUUID()}`;
    const { faults } = world.emulator.service();
    const rules = waiting.faults.map((rule) => faults.add({ ...rule, match: { promptIncludes: prompt } }));
    const policy = { ...FAST, ...waiting.policy };
    const generation = { model: 'image-l', input: { prompt } };
    const handle =
      waiting.step === undefined
        ? await world.start({ ...generation, policy }, workflowId)
        : await world.pipeline({ policy, steps: { only: { ...generation, ...waiting.step } } }, workflowId);

    await isTold(handle, waiting);
    await followPage(title, workflowId, waiting.says !== null && title !== 'submit is held up');
    // What lasts is mended last: else the run might end by itself before the page's command comes.
    for (const { id } of rules) faults.remove(id);
    await handle.executeUpdate('checkNow').catch(() => undefined); // it may have ended; a pipeline has none
    await handle.result();
    const charges = world.emulator.service().ledger.charges();
    const own = charges.filter(
      ({ workflow }) => workflow === workflowId || workflow?.startsWith(`${workflowId}/`),
    );
    expect(own.reduce((sum, { credits }) => sum + credits, 0)).toBe(waiting.cost);
    const { searchAttributes } = await handle.describe();
    expect(searchAttributes['DarkroomState'] ?? []).toSatisfy((values: unknown[]) =>
      values.every((one) => one === null),
    );
  },
);

it('a pipeline whose step waits is listed with it, and its details name the step', async () => {
  const prompt = randomUUID();
  const workflowId = `pipeline/${randomUUID()}`;
  const fault = { kind: 'error', code: 'INSUFFICIENT_CREDITS' } as const;
  world.fault({ on: 'submit', times: 1, match: { promptIncludes: prompt }, fault });
  const policy = { ...FAST, retries: { INSUFFICIENT_CREDITS: { initial: '1h', window: '1d' } } };
  const steps = { only: { model: 'image-l', input: { prompt } } };
  const handle = await world.pipeline({ policy, steps }, workflowId);
  await eventually(async () => {
    const { steps: shown } = await handle.query<PipelineProgress>('progress');
    expect(shown['only']?.needs).toBe('waiting for credits');
  });
  const listed = await world.runHere('list', '--state', 'waiting for credits', '--model', 'image-l');
  expect(listed.stdout).toContain(workflowId);
  const shown = await world.runHere('show', workflowId);
  expect(shown.stdout).toContain(`npm run starter -- show ${workflowId}/only`);
  expect(await world.runHere('check', `${workflowId}/only`)).toMatchObject({ code: 0 });
  await handle.result();
});
