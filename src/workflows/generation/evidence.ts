import { fieldDigests } from '../../api/input/field-digests.ts';
import { endedInVain } from '../../api/records/ended-in-vain.ts';
import { whyNotOurs } from '../../contract/entities/task-notices.ts';
import { paidBy } from '../../contract/purchases/payers.ts';
import { type SentSeed, withSeed } from '../../contract/tasks/sent-seed.ts';
import { triedAgain, triedFor } from '../../policy/patience.ts';
import { readTask, takeName } from './activities.ts';
import { mayHaveBought, ownTasks } from './attempts.ts';
import { type Evidence, policyOf, type Run, type State, valueOf, withNews } from './state.ts';

/** Before a task whose record cannot be read is asked about again, in milliseconds: more and more. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 5 * 60_000;
/** So many are remembered that are of no use, or told nothing: anybody may send ids without end. */
const MOST_KNOWN = 500;
const LONGEST_REASON = 300;

// What a run itself has heard of the task that a lost submit may have bought: one that was granted before a Reset, one
// whose end was told to this workflow, one that was proven for a submit that it had given up. It is of use if it is of the
// same input, and completed or running: one that has failed is not what the submit has bought, or is bought again anyway.
// While its record cannot be read, nobody can tell.

/** When a task is to be asked about next, in milliseconds since the epoch; Infinity: there is none. */
export function nextLookAt(state: State): number {
  return Math.min(...candidates(state).map((taskId) => dueAt(state, taskId)));
}

/** Whether there is one to ask about now. */
export const isDue = (state: State): boolean => nextLookAt(state) <= Date.now();

const dueAt = ({ evidence }: State, taskId: string): number => valueOf(evidence.open, taskId)?.nextAt ?? 0;

/** Why this run must not give up yet; undefined: nothing that it has heard of may be its task. */
export function doubtAbout(state: State): string | undefined {
  const [taskId] = candidates(state);
  if (taskId === undefined) return undefined;
  const { reason = 'it was not asked about yet' } = valueOf(state.evidence.open, taskId) ?? {};
  return `task ${taskId} may be this one, but its record tells nothing: ${reason}`;
}

/** What a look has come to: the first task that is of use. */
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
  for (const taskId of candidates(state)) {
    if (dueAt(state, taskId) > Date.now()) continue;
    const told = await askAbout(run, state, taskId);
    state = withNews(run, state);
    if (told === 'of use') return { state, taskId };
    const { useless, ...evidence } = state.evidence;
    const open = evidence.open.filter(([id]) => id !== taskId);
    const known: Evidence =
      told === 'useless'
        ? { ...evidence, open, useless: [...useless, taskId].slice(-MOST_KNOWN) }
        : { ...evidence, useless, open: [...open, [taskId, told] as const].slice(-MOST_KNOWN) };
    state = { ...state, evidence: known };
  }
  return { state };
}

/**
 * The receiver finds this workflow by the tasks whose ends it tells of: so some process has had the answer to a
 * submit of it, although this run may never have got it. A task that was proven for a submit that was given up may be
 * of the next one: it came before that one's claim. Whichever it is of, it is bought for this run.
 */
function candidates(state: State): string[] {
  const { heard, evidence } = state;
  // What it is told of by then are other purchases: its first submit looks by itself for those of earlier runs.
  if (!mayHaveBought(state)) return [];
  const told = new Set([
    ...heard.grants.map(([, taskId]) => taskId),
    ...evidence.granted,
    ...heard.ended.map(([taskId]) => taskId),
    ...heard.proofs.map(([, { taskId }]) => taskId),
  ]);
  if (told.size === 0) return [];
  const others = new Set([...ownTasks(state), ...evidence.useless]);
  return [...told].filter((taskId) => !others.has(taskId));
}

type Told = 'of use' | 'useless' | Evidence['open'][number][1];

async function askAbout(run: Run, state: State, taskId: string): Promise<Told> {
  const { workspace, workflowId, request } = run;
  const payers = paidBy(workflowId, request);
  const before = valueOf(state.evidence.open, taskId);
  // As the next submit sends it, and as those did that are looked for.
  const seeds = new Set([undefined, ...state.otherSeeds]);
  for (const input of [...seeds].map((seed) => inputOf(run, state, seed))) {
    const sent = { model: request.model, fields: fieldDigests(input) };
    const report = await readTask({
      taskId,
      workspace,
      holder: true,
      sent,
      paidBy: payers,
      facts: state.plan?.facts,
    });
    if (report.heldBy !== undefined) return 'useless';
    const pause = before === undefined ? FIRST_PAUSE : Math.min(1.5 * before.pause, LONGEST_PAUSE);
    const later = (reason: string) => {
      return { nextAt: Date.now() + pause, pause, reason: reason.slice(0, LONGEST_REASON) };
    };
    const forSome = (reason: string): Told => {
      const missing = triedAgain(before?.missing, Date.now(), before?.pause ?? 0);
      return triedFor(missing) >= policyOf(state).vanished.wait ? 'useless' : { ...later(reason), missing };
    };
    if (report.kind === 'record') {
      if (report.isAsSent !== true || endedInVain(report.status)) continue;
      const name = await takeName(run, taskId);
      if (name.kind === 'ours') return 'of use';
      return name.kind === 'other' ? forSome(whyNotOurs(name)) : later(name.reason);
    }
    return report.kind === 'unavailable' ? later(report.reason) : forSome('the API does not know it');
  }
  return 'useless';
}

/** What a submit was sent with, as far as that is known. @param seed undefined: that of the next submit */
export function inputOf(run: Run, state: State, seed: SentSeed | undefined): Record<string, unknown> {
  const { input } = run.request;
  const sent = seed === undefined ? state.seed : seed;
  return sent === undefined || sent === null ? input : withSeed(input, sent);
}
