import { condition } from '@temporalio/workflow';
import { fieldDigests, withTemplate } from '../../api/input/field-digests.ts';
import type { ClaimPutIn } from '../../contract/activities.ts';
import { claimIdOf, type WithdrawalEnd, type WithdrawalKind } from '../../contract/entities/claims.ts';
import { type TakenName, whyNotOurs } from '../../contract/entities/task-notices.ts';
import { paidBy } from '../../contract/purchases/payers.ts';
import { submitKey } from '../../contract/tasks/submit-task.ts';
import { pollingInterval } from '../../policy/backoff.ts';
import { askEntity, claiming, entities, takeName } from './activities.ts';
import { exchangeDoubt, foreignTasks, tasksOf } from './attempts.ts';
import { doubtAbout, inputOf, isDue, type Looked, look, nextLookAt } from './evidence.ts';
import type { Search } from './stage.ts';
import { planOf, policyOf, type Run, type State, valueOf, withNews } from './state.ts';
import { adoptFound, endSearch } from './transitions.ts';

/** Where what keeps the run looking may last, it asks again after so many milliseconds. */
const LASTING = 5_000;
/** The tasks that the run has had of late: their events may come late. */
const MAX_KNOWN = 20;
const REPLACED = 'unclaimed-tasks was ended from outside meanwhile, and what it had heard of tasks is lost';
/** Between two questions to the entity, in milliseconds. Where it knows nothing yet, nor do others. */
const PAUSES = { first: 500, factor: 1.5, max: 30_000 };

/** Puts the claim for a submit's task in; or in again, where nobody may know of it any more. */
export async function putIn(run: Run, state: State, search: Search): Promise<Search> {
  const { unknown } = search;
  const { since, clockOffset, submit, seed } = unknown;
  const { submit: times, reconcile } = policyOf(state);
  const { workspace, workflowId, firstRunId, request } = run;
  const payers = paidBy(planOf(state));
  const claim = {
    claimId: claimIdOf(firstRunId, since),
    workflowId,
    firstRunId,
    runId: run.runId,
    model: request.model,
    fields: withTemplate(fieldDigests(inputOf(run, state, seed)), request.templateId),
    since,
    ...(clockOffset === undefined ? {} : { clockOffset }),
    known: tasksOf(state).slice(-MAX_KNOWN),
    ...(payers.length === 0 ? {} : { paidBy: payers }),
    wait: reconcile.wait,
    // How long another submit of the same input can be in flight.
    patience: 2 * times.timeout + times.heartbeat,
  };
  const asked = claiming.requestClaim({ workspace, claim });
  const end = await askEntity<ClaimPutIn & { why?: string }>(asked, (why) => ({ why }));
  const { entity = end.entity } = search;
  const isForgotten = search.isForgotten || (end.entity !== undefined && end.entity !== entity);
  // What is told of a submit names its run; none was told before the id stood in the history.
  const runId = submit?.runId ?? end.runId;
  const isNamed = submit !== undefined && runId !== undefined;
  return {
    ...search,
    unknown: isNamed ? { ...unknown, submit: { ...submit, runId } } : unknown,
    claim: end.why === undefined ? 'in' : { whyNot: end.why },
    entity,
    isForgotten,
  };
}

/** The task that the claim was granted. A Reset brings grants back: of each the run asks whether it is still its own. */
function granted(run: Run, { unknown }: Search): string | undefined {
  return valueOf(run.now().heard.grants, claimIdOf(run.firstRunId, unknown.since));
}

/** Whether its worker has told that the submit was never sent: then there is no task, and nothing is unknown. */
function wasNeverSent(run: Run, { unknown }: Search): boolean {
  const { runId, activityId = '' } = unknown.submit ?? {};
  return runId !== undefined && run.now().heard.notSent.includes(submitKey({ runId, activityId }));
}

/** Waits for the task, its grant or what the run hears itself, until then or until it is enough. */
export async function find(
  run: Run,
  before: State,
  search: Search,
  until: number,
  enough: () => boolean = () => false,
  summary = 'wait for evidence of the task',
): Promise<Looked> {
  let state = before;
  let name: TakenName | undefined;
  // One that another run has got is asked about no more.
  const given = (): string | undefined => {
    const taskId = granted(run, search);
    return name?.kind === 'other' && name.taskId === taskId ? undefined : taskId;
  };
  const isEnough = (): boolean => wasNeverSent(run, search) || enough();
  for (;;) {
    const own = given();
    if (own !== undefined) name = await takeName(run, own);
    if (name?.kind === 'ours') return { state: withNews(run, state), taskId: name.taskId };
    const isUnreadable = own !== undefined && name?.kind === 'unreadable';
    if (!isUnreadable) {
      const { state: looked, taskId } = await look(run, state);
      state = withNews(run, looked);
      if (taskId !== undefined) return { state, taskId };
    }
    const now = Date.now();
    if (now >= until || isEnough()) return { state };
    const next = Math.min(until, isUnreadable ? now + LASTING : nextLookAt(state));
    const seen = state;
    const hasNews = (): boolean => !isUnreadable && (given() !== undefined || isDue(withNews(run, seen)));
    if (next > now && !hasNews()) await condition(() => isEnough() || hasNews(), next - now, { summary });
  }
}

/** What a search for a submit's task has come to by itself: the task, or that the submit was never sent. */
export async function endOf(run: Run, { state, taskId }: Looked, search: Search): Promise<State | undefined> {
  if (taskId === undefined && !wasNeverSent(run, search)) return undefined;
  const { unknown } = search;
  const own = claimIdOf(run.firstRunId, unknown.since);
  const [other] = state.heard.proofs.find(([id, proof]) => id !== own && proof.taskId === taskId) ?? [];
  // Nobody needs to look for it any more, unless another submit has bought it; and one that was granted by now is taken.
  // One that was given to an earlier run is not what the submit has bought.
  const isForeign = taskId !== undefined && foreignTasks(state).has(taskId);
  const as = other === undefined && !isForeign ? 'settled' : 'abandon';
  const isGranted = taskId !== undefined && granted(run, search) === taskId;
  const withdrawn = isGranted ? undefined : await withdraw(run, state, search, as);
  const { end, askedAt = Date.now() } = withdrawn ?? {};
  const found = end?.kind === 'granted' ? end.taskId : taskId;
  if (found === undefined) return endSearch(run, state, unknown, { kind: 'not sent' });
  if (found === taskId && isForeign)
    return endSearch(run, state, unknown, { kind: 'another task', taskId, askedAt });
  const known = found === taskId && other !== undefined ? exchangeDoubt(state, other, own) : state;
  return adoptFound(run, known, unknown, found);
}

/** The one atomic step of giving up: after it the claim is granted or gone, never both; or it stays. `askedAt`: before it. */
export async function withdraw(
  run: Run,
  state: State,
  before: Search,
  as: WithdrawalKind,
): Promise<{ search: Search; end: WithdrawalEnd; askedAt: number }> {
  let search = before;
  const known = granted(run, search);
  const named = known === undefined ? undefined : await takeName(run, known);
  if (named?.kind === 'ours')
    return { search, end: { kind: 'granted', taskId: named.taskId }, askedAt: Date.now() };
  // A look that begins from here on is news, whatever the entity says.
  search = { ...search, begunLooks: run.now().heard.begunLooks };
  // What this run has heard of itself is a reason to look on, as what the entity knows of.
  const doubt = as === 'abandon' || as === 'settled' ? undefined : doubtAbout(state);
  if (doubt !== undefined) return { search, end: looking(doubt), askedAt: Date.now() };
  const { since, claimedAt, givenUp } = search.unknown;
  const isResubmit = givenUp === true || policyOf(state).reconcile.otherwise === 'resubmit';
  const buysAgain = as === 'give up' && isResubmit;
  if (search.claim !== 'in') search = await putIn(run, state, search);
  const askedAt = Date.now();
  if (typeof search.claim === 'object') return { search, end: unanswered(search.claim.whyNot), askedAt };
  if (buysAgain && search.isForgotten) return { search, end: { kind: 'forgotten', why: REPLACED }, askedAt };
  // From when on all has to be known that was heard of tasks.
  const times = { submittedAt: since, claimedAt };
  const claim = { workspace: run.workspace, claimId: claimIdOf(run.firstRunId, since) };
  let notOurs = named?.kind === 'other' ? named.taskId : undefined;
  for (;;) {
    const lost = notOurs === undefined ? {} : { notOurs };
    const asked = entities.withdrawClaim({ ...claim, as, ...lost, ...(buysAgain ? times : {}) });
    const end = await askEntity<WithdrawalEnd>(asked, unanswered);
    // The grant's signal may have come before the answer to the withdrawal.
    const given = [granted(run, search), end.kind === 'granted' ? end.taskId : undefined];
    const taskId = given.find((one) => one !== undefined && one !== notOurs);
    if (taskId === undefined) return { search, end, askedAt };
    const name = await takeName(run, taskId);
    if (name.kind === 'ours') return { search, end: { kind: 'granted', taskId }, askedAt };
    const why = `task ${taskId} was given to this run, and ${whyNotOurs(name)}`;
    if (name.kind === 'unreadable') return { search, end: looking(why), askedAt };
    notOurs = taskId;
  }
}

/** How long a run leaves the entity alone (milliseconds) that has said to wait, and how often by now. */
export function pauseBefore(wait: number, asked: number): number {
  return Math.max(wait, pollingInterval(PAUSES, asked - 1));
}

const unanswered = (why: string): WithdrawalEnd => looking(`unclaimed-tasks does not answer (${why})`);

const looking = (why: string): WithdrawalEnd => ({ kind: 'looking', wait: LASTING, why, lasting: true });
