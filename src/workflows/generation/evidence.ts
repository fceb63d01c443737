import { fieldDigests } from '../../api/input/field-digests.ts';
import { paidBy } from '../../contract/purchases/payers.ts';
import { type SentSeed, withSeed } from '../../contract/tasks/sent-seed.ts';
import {
  type Doubt,
  type Judgement,
  mayBeThisOne,
  type TaskToJudge,
} from '../../contract/tasks/task-look.ts';
import { triedAgain, triedFor } from '../../policy/patience.ts';
import { local, orElse } from './activities.ts';
import { mayHaveBought, ownTasks } from './attempts.ts';
import { planOf, policyOf, put, type Run, type State, type Unread, withNews } from './state.ts';

/** Before a task whose record cannot be read is asked about again, in milliseconds: more and more. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 5 * 60_000;
const LONGEST_REASON = 300;

// What a run itself has heard of the task that a lost submit may have bought: one that was granted before a Reset, one
// whose end was told to this workflow, one that was proven for a submit that it had given up. It is of use if it is of the
// same input, and completed or running: one that has failed is not what the submit has bought, or is bought again anyway.
// While its record cannot be read, nobody can tell.

/** When a task is to be asked about next, in milliseconds since the epoch; Infinity: there is none. */
export function nextLookAt(state: State): number {
  return Math.min(...candidates(state).map(([, unread]) => unread?.nextAt ?? 0));
}

/** Whether there is one to ask about now. */
export const isDue = (state: State): boolean => nextLookAt(state) <= Date.now();

/** Why this run must not give up yet; undefined: nothing that it has heard of may be its task. */
export function doubtAbout(state: State): string | undefined {
  const [first] = candidates(state);
  if (first === undefined) return undefined;
  const [taskId, unread] = first;
  return mayBeThisOne(taskId, unread?.reason ?? 'it was not asked about yet');
}

/** `taskId`: the first that is of use. */
export interface Looked {
  state: State;
  taskId?: string | undefined;
}

/**
 * The one look before every POST and every wait in which a task may come: asks about the tasks that are due, by all that
 * was heard until now. (What earlier runs have bought a submit, and whoever is about to ask a person, looks for as well.)
 */
export async function look(run: Run, before: State): Promise<Looked> {
  let state = withNews(run, before);
  for (const [taskId, unread] of candidates(state)) {
    if (unread !== undefined && unread.nextAt > Date.now()) continue;
    const plan = planOf(state);
    const by = { takeFor: run.firstRunId, paidBy: paidBy(plan), facts: plan.facts };
    const judged = await judge(run, state, taskId, by);
    state = withNews(run, state);
    if (judged.kind === 'of use') return { state, taskId };
    const { wait } = policyOf(state).vanished;
    const told = judged.kind === 'again' ? askAgain(judged, unread, wait) : judged.kind;
    const { evidence } = state;
    state = { ...state, evidence: { ...evidence, looks: put(evidence.looks, taskId, told) } };
  }
  return { state };
}

/**
 * The receiver finds this workflow by the tasks whose ends it tells of: so some process has had the answer to a
 * submit of it, although this run may never have got it. A task that was proven for a submit that was given up may be
 * of the next one: it came before that one's claim. Whichever it is of, it is bought for this run.
 */
function candidates(state: State): [taskId: string, Unread | undefined][] {
  const { heard, evidence } = state;
  // What it is told of by then are other purchases: its first submit looks by itself for those of earlier runs.
  // Without a plan nobody knows how long to ask.
  if (state.plan === undefined || !mayHaveBought(state)) return [];
  const told = new Set([
    ...heard.grants.map(([, taskId]) => taskId),
    ...evidence.granted,
    ...heard.ended.map(([taskId]) => taskId),
    ...heard.proofs.map(([, { taskId }]) => taskId),
  ]);
  if (told.size === 0) return [];
  const own = ownTasks(state);
  const looks = new Map(evidence.looks);
  return [...told].flatMap((taskId) => {
    const known = looks.get(taskId);
    return known === 'useless' || own.has(taskId) ? [] : [[taskId, known]];
  });
}

/** A look that fails tells no more of the task than an API that is away. */
export function judge(
  run: Run,
  state: State,
  taskId: string,
  more: Partial<TaskToJudge> = {},
): Promise<Judgement> {
  const { request, workspace } = run;
  // As its next submit sends it, and as those did that are looked for.
  const seeds = new Set([undefined, ...state.otherSeeds]);
  const inputs = [...seeds].map((seed) => fieldDigests(inputOf(run, state, seed)));
  const sent = { model: request.model, inputs };
  const asked = local.judgeTask({ taskId, workspace, sent, ...more });
  return orElse<Judgement>(asked, (reason) => ({ kind: 'again', reason }));
}

function askAgain({ reason, forSome }: Doubt, before: Unread | undefined, wait: number): 'useless' | Unread {
  const now = Date.now();
  const missing = forSome && triedAgain(before?.missing, now, before?.pause ?? 0);
  if (missing !== undefined && triedFor(missing) >= wait) return 'useless';
  const pause = before === undefined ? FIRST_PAUSE : Math.min(1.5 * before.pause, LONGEST_PAUSE);
  return { nextAt: now + pause, pause, missing, reason: reason.slice(0, LONGEST_REASON) };
}

/** What a submit was sent with, as far as that is known. @param seed undefined: that of the next submit */
export function inputOf(run: Run, state: State, seed: SentSeed | undefined): Record<string, unknown> {
  const { input } = run.request;
  const sent = seed === undefined ? state.seed : seed;
  return sent === undefined || sent === null ? input : withSeed(input, sent);
}
