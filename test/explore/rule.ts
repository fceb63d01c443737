import { type GenerationCode, generationCode } from '../../src/api/codes.ts';
import type { Attempt } from '../../src/contract/generation.ts';

/** One charge and its task, by the emulator's word. Times in milliseconds since the epoch, by its clock. */
export interface Purchase {
  taskId: string;
  workflowId: string;
  at: number;
  /** What was asked for; absent: the same as of all others of its workflow id. */
  input?: string;
  /** What it costs in the end: nothing where it was refunded. */
  credits: number;
  status: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELED';
  code: string | null;
  endedAt: number | null;
  /** Decided at its purchase: GET answers 404 for it, or it never ends. */
  fate: 'vanishes' | 'hangs' | 'other';
  /** From when on Darkroom was to reckon with it; null: nobody could know of it, see isUnknowable. */
  knownAt: number | null;
  /** When the first sign of it came; as `knownAt` where absent. */
  signAt?: number | null;
  /** Whether nobody could learn its price: its answer was lost, and the API forgets it before its record is read. */
  isPriceless?: boolean;
}

/** How anybody could have come to know of a task. */
export interface Knowledge {
  /** Whether the answer with its id left the API whole. */
  answered: boolean;
  /** Whether an event of it was sent, whatever it says, and nobody who had taken it was terminated afterwards. */
  told: boolean;
  /** Whether its id stands in the history of any run. */
  recorded: boolean;
  /** Whether a kill, an outage or a Reset of its run may have swallowed its answer. */
  disturbed: boolean;
}

/** How a workflow id's latest run ended. */
export type Ending =
  | { kind: 'completed'; taskId: string; outputs: number }
  | { kind: 'failed'; type: string; message?: string; unknownsAtEnd: number }
  | { kind: 'stuck'; waiting: boolean }
  | { kind: 'gone'; status: string }
  /** It was never started: a step whose pipeline skipped it. */
  | { kind: 'never started' };

/** What one run says of itself when it ends. */
export interface RunAccount {
  runId: string;
  attempts: readonly Attempt[];
  usage: number;
  charged: number;
}

export interface GenerationFacts {
  workflowId: string;
  /** Generations with the same model and input share it: twins may end with each other's task. */
  group: string;
  /** The pipeline that this is a step of. */
  pipeline?: string;
  /** The code that the API refuses it with for good. */
  refused?: GenerationCode;
  ending: Ending;
  /** Runs of its workflow id: the first one, and one more for each Reset or further purchase by a pipeline. */
  runs: number;
  /** When its latest run ended (ms since the epoch); absent: nobody has looked. */
  endedAt?: number;
  /** When somebody asked for one more purchase: a plain start again, a person's word (ms since the epoch). */
  wantedAt?: readonly number[];
  /** When a person was asked about a submit, and no evidence had come within a while (ms since the epoch). */
  askedAt?: readonly number[];
  /** Failures of our own that are honest after what was done to it. */
  mayFailWith?: readonly string[];
  /** What each of its runs says of itself; absent: nobody has read it. */
  accounts?: readonly RunAccount[];
}

export interface PipelineFacts {
  workflowId: string;
  ending: 'completed' | 'failed' | 'stuck' | 'gone';
  /** Whether it has failed honestly, because of a history that is deleted. */
  mayFail?: true;
  /** Whether it may complete although a generation below it has failed. */
  mayLack?: true;
  /** What all its runs together say that they were charged; absent: nobody has read it. */
  charged?: number;
}

export interface Finding {
  workflowId: string;
  what: string;
}

/** What breaks the rule, by its sentences. */
export interface Account {
  extra: Finding[];
  lost: Finding[];
  stuck: Finding[];
  waiting: Finding[];
  /** A person was asked what evidence could tell. */
  asked: Finding[];
  /** What the runs say they were charged is not what the ledger says. */
  sums: Finding[];
  /** What a run says is not true. */
  words: Finding[];
}

export interface Rules {
  /** Further tasks that the policy asks for after failures with a code, in one run. */
  resubmissions: (code: GenerationCode) => number;
  /** Unknown submits in a row after which a generation gives up. */
  maxUnknowns: number;
}

/**
 * Whether nobody could have known of a task: its id was in no answer that can have arrived, in no event that was
 * sent, and no run ever recorded it. Only the first may be a matter of luck, so it counts only where the answer was
 * lost at the API, or where the submit itself was hit.
 */
export function isUnknowable({ answered, told, recorded, disturbed }: Knowledge): boolean {
  return !told && !recorded && (!answered || disturbed);
}

/** Whether Darkroom was to reckon with a task at a time. */
function isKnownAt({ knownAt }: Purchase, time: number): boolean {
  return knownAt !== null && knownAt <= time;
}

/** Whether there was a sign of a task by then. */
function hasShown({ knownAt, signAt = knownAt }: Purchase, time: number): boolean {
  return signAt !== null && signAt <= time;
}

/** Whether a task was of no use any more at a time, so that its generation may buy another. */
function overAt({ status, endedAt, fate }: Purchase, time: number): boolean {
  if (fate === 'vanishes') return true;
  return (status === 'FAILED' || status === 'CANCELED') && endedAt !== null && endedAt <= time;
}

/**
 * The one rule, for the storm and for the explorer:
 *
 * 1. *Charges.* When a task is bought for a group of n generations with the same input (n is 1 but for twins), fewer than
 *    n earlier ones may be of use, that is neither over nor unknowable by then; one more for each purchase that somebody
 *    asked for. Besides, no more tasks that failed with a code and could be known of than the policy resubmits, for each
 *    run.
 * 2. *Endings.* A generation ends with a result of a task of its own, or with a failure for which the API gave the reason,
 *    or its budget, in which a submit counts of which nobody can tell that it has bought nothing. What is done, paid for
 *    and could be known of is somebody's result.
 * 3. *Bounds.* Everything ends.
 * 4. *People.* Nobody is asked about a submit whose task is known.
 * 5. *Sums.* What the runs of an id say they were charged is, added up, what the ledger says of the tasks that they name;
 *    of a pipeline and a batch, of those that are named below it, and of no more than was bought there. A price that nobody
 *    could learn may be missing.
 * 6. *Words.* Every task that a run names is one of the group's, named once, with the end and the price that it has.
 */
export function account(
  generations: readonly GenerationFacts[],
  pipelines: readonly PipelineFacts[],
  purchases: readonly Purchase[],
  rules: Rules,
): Account {
  const found: Account = { extra: [], lost: [], stuck: [], waiting: [], asked: [], sums: [], words: [] };
  const byWorkflow = new Map(generations.map((generation) => [generation.workflowId, generation]));
  for (const { workflowId, taskId } of purchases) {
    if (byWorkflow.has(workflowId)) continue;
    found.extra.push({ workflowId, what: `task ${taskId} belongs to no generation of the storm` });
  }
  const results = new Map<string, string>();
  for (const [group, members] of Map.groupBy(generations, (generation) => generation.group)) {
    const ids = new Set(members.map(({ workflowId }) => workflowId));
    const bought = purchases.filter(({ workflowId }) => ids.has(workflowId)).sort((a, b) => a.at - b.at);
    found.extra.push(...extraCharges(group, members, bought, rules));
    for (const member of members) {
      const payers = generations.filter((other) => other === member || isBeside(other, member));
      const mayExceed = hasCountedTooMuch(payers, purchases);
      judgeEnding(member, bought, results, { ...rules, mayExceed }, found);
    }
    found.lost.push(...unusedResults(group, members, bought));
    for (const member of members) found.asked.push(...needlessQuestions(member, members, bought));
    found.words.push(...wrongWords(members, bought));
    found.sums.push(...wrongSums(group, members, bought));
  }
  for (const { workflowId, ending, mayLack, mayFail, charged } of pipelines) {
    const below = generations.filter((generation) => generation.workflowId.startsWith(`${workflowId}/`));
    if (charged !== undefined && (ending === 'completed' || ending === 'failed'))
      found.sums.push(...wrongSumOfParent(workflowId, charged, below, purchases));
    const steps = generations.filter(({ pipeline }) => pipeline === workflowId);
    const whole = steps.every((step) => step.ending.kind === 'completed');
    if (ending === 'stuck') found.stuck.push({ workflowId, what: 'pipeline' });
    else if (ending === 'gone' || (ending === 'failed' && whole && mayFail !== true)) {
      found.lost.push({ workflowId, what: `pipeline ${ending}, though its steps are whole` });
    } else if (ending === 'completed' && !whole && mayLack !== true) {
      found.lost.push({ workflowId, what: 'pipeline completed without all its steps' });
    }
  }
  return found;
}

function extraCharges(
  group: string,
  members: readonly GenerationFacts[],
  bought: readonly Purchase[],
  { resubmissions }: Rules,
): Finding[] {
  const extra: Finding[] = [];
  bought.forEach((purchase, index) => {
    const inUse = bought
      .slice(0, index)
      .filter((earlier) => earlier.input === purchase.input)
      .filter((earlier) => !overAt(earlier, purchase.at) && isKnownAt(earlier, purchase.at));
    const wanted = members.flatMap(({ wantedAt = [] }) => wantedAt).filter((at) => at <= purchase.at);
    if (inUse.length < members.length + wanted.length) return;
    const others = inUse.map(({ taskId, status }) => `${taskId} (${status})`).join(', ');
    extra.push({
      workflowId: purchase.workflowId,
      what: `task ${purchase.taskId} was bought beside ${others}`,
    });
  });
  const runs = members.reduce((sum, member) => sum + member.runs, 0);
  // Of the failure of a task that nobody could know of nothing follows.
  const failed = bought.filter((task) => task.status === 'FAILED' && task.knownAt !== null);
  for (const [code, tasks] of Map.groupBy(failed, (task) => generationCode(task.code))) {
    const allowed = (1 + (code === undefined ? 0 : resubmissions(code))) * runs;
    for (let index = allowed; index < tasks.length; index += 1) {
      extra.push({ workflowId: group, what: `${tasks.length} tasks failed with ${code} in ${runs} run(s)` });
    }
  }
  return extra;
}

/** Whether the same budget may pay for both. */
function isBeside({ pipeline }: GenerationFacts, other: GenerationFacts): boolean {
  return pipeline !== undefined && pipeline === other.pipeline;
}

/**
 * Whether more unknown submits count in a budget than tasks were bought that no run names, or that were taken over: of one
 * that has bought nothing nobody can tell.
 */
function hasCountedTooMuch(payers: readonly GenerationFacts[], purchases: readonly Purchase[]): boolean {
  const ids = new Set(payers.map(({ workflowId }) => workflowId));
  const attempts = payers.flatMap(({ accounts = [] }) => accounts.flatMap((run) => run.attempts));
  const named = new Set(attempts.map(({ taskId }) => taskId));
  const bought = purchases.filter(({ workflowId, taskId }) => ids.has(workflowId) && !named.has(taskId));
  const unknown = attempts.filter(({ outcome }) => outcome === 'unknown');
  return unknown.length > bought.length + attempts.filter(({ adopted }) => adopted).length;
}

function judgeEnding(
  { workflowId, group, ending, refused, pipeline, mayFailWith = [] }: GenerationFacts,
  bought: readonly Purchase[],
  results: Map<string, string>,
  { resubmissions, maxUnknowns, mayExceed }: Rules & { mayExceed: boolean },
  found: Account,
): void {
  const lose = (what: string): void => void found.lost.push({ workflowId, what });
  switch (ending.kind) {
    case 'stuck':
      (ending.waiting ? found.waiting : found.stuck).push({ workflowId, what: 'generation' });
      return;
    case 'gone':
      lose(`ended as ${ending.status}`);
      return;
    case 'never started':
      // A skipped step; that its pipeline has not lost it is judged there.
      if (pipeline === undefined) lose('was never started');
      return;
    case 'completed': {
      const task = bought.find(({ taskId }) => taskId === ending.taskId);
      const other = results.get(ending.taskId);
      if (task?.status !== 'COMPLETED') lose(`its task ${ending.taskId} is ${task?.status ?? 'not its own'}`);
      else if (ending.outputs === 0) lose('completed without outputs');
      else if (other !== undefined) lose(`has the same task as ${other}`);
      results.set(ending.taskId, `${workflowId} of ${group}`);
      return;
    }
    case 'failed': {
      if (mayFail()) return;
      const { type, message } = ending;
      lose(`failed with ${type} for no reason${message === undefined ? '' : `: ${message}`}`);
    }
  }

  /** Whether the API gave a reason for the failure that the policy does not get over. */
  function mayFail(): boolean {
    if (ending.kind !== 'failed') return false;
    if (mayFailWith.includes(ending.type)) return true;
    const code = generationCode(ending.type);
    if (code !== undefined) {
      const failed = bought.filter((task) => generationCode(task.code) === code);
      return code === refused || failed.length > resubmissions(code);
    }
    if (ending.type === 'BUDGET_EXCEEDED') return mayExceed;
    if (ending.type === 'TASK_OVERDUE') return bought.some(({ fate }) => fate === 'hangs');
    if (ending.type === 'TASK_CANCELED') return bought.some(({ status }) => status === 'CANCELED');
    return ending.type === 'SUBMISSION_UNKNOWN' && ending.unknownsAtEnd >= maxUnknowns;
  }
}

/** Tasks that completed, that somebody could have known of, and that are nobody's result. */
function unusedResults(
  group: string,
  members: readonly GenerationFacts[],
  bought: readonly Purchase[],
): Finding[] {
  const without = members.filter(({ ending }) => ending.kind === 'failed' || ending.kind === 'gone');
  const used = new Set(members.flatMap(({ ending }) => (ending.kind === 'completed' ? ending.taskId : [])));
  const by = Math.max(...without.map(({ endedAt = Infinity }) => endedAt));
  const unused = bought.filter(
    (task) =>
      task.status === 'COMPLETED' &&
      task.fate !== 'vanishes' &&
      !used.has(task.taskId) &&
      isKnownAt(task, by),
  );
  // One that is unused beside a completed generation is an extra charge, and counted there.
  return unused.slice(0, without.length).map(({ taskId }) => ({
    workflowId: group,
    what: `task ${taskId} is done and paid for, and nobody got its result`,
  }));
}

/** Questions about a submit while a task of the group was known and of use, and nobody had it. */
function needlessQuestions(
  { workflowId, askedAt = [] }: GenerationFacts,
  members: readonly GenerationFacts[],
  bought: readonly Purchase[],
): Finding[] {
  return askedAt.flatMap((at) => {
    const ofUse = bought.filter(
      (task) => task.at <= at && hasShown(task, at) && !overAt(task, at) && task.fate === 'other',
    );
    const known = ofUse.map(({ taskId }) => taskId).join(', ');
    return ofUse.length < members.length
      ? []
      : [{ workflowId, what: `asked a person, though ${known} was known` }];
  });
}

const ENDS: Partial<Record<Attempt['outcome'], Purchase['status']>> = {
  completed: 'COMPLETED',
  failed: 'FAILED',
  canceled: 'CANCELED',
};

function wrongWords(members: readonly GenerationFacts[], bought: readonly Purchase[]): Finding[] {
  const tasks = new Map(bought.map((task) => [task.taskId, task]));
  return members.flatMap(({ workflowId, accounts = [] }) =>
    accounts.flatMap(({ runId, attempts, usage }) => {
      const wrong = attempts.flatMap((attempt, index) => {
        const { taskId, outcome } = attempt;
        if (taskId === null) return [];
        const task = tasks.get(taskId);
        if (task === undefined) return [`names task ${taskId}, which was not bought for it`];
        if (attempts.findIndex((other) => other.taskId === taskId) !== index)
          return [`names ${taskId} twice`];
        const end = ENDS[outcome];
        if (end !== undefined && task.status !== end)
          return [`says that ${taskId} is ${outcome}: it is ${task.status}`];
        if (end !== undefined && attempt.usage.total !== task.credits)
          return [`says that ${taskId} costs ${attempt.usage.total}: it costs ${task.credits}`];
        return [];
      });
      const sum = attempts.reduce((total, attempt) => total + attempt.usage.total, 0);
      if (sum !== usage) wrong.push(`says that it costs ${usage}, and its attempts ${sum}`);
      return wrong.map((what) => ({ workflowId, what: `run ${runId} ${what}` }));
    }),
  );
}

function wrongSums(
  group: string,
  members: readonly GenerationFacts[],
  bought: readonly Purchase[],
): Finding[] {
  if (members.some(({ accounts }) => accounts === undefined)) return [];
  const accounts = members.flatMap((member) => member.accounts ?? []);
  const charged = accounts.reduce((sum, account) => sum + account.charged, 0);
  return wrongSum(group, charged, members, bought);
}

/** Whether what runs were charged is what the ledger says of the tasks that generations name. */
function wrongSum(
  workflowId: string,
  charged: number,
  members: readonly GenerationFacts[],
  bought: readonly Purchase[],
): Finding[] {
  const tasks = namedOf(members, bought);
  return unlessBetween(workflowId, charged, tasks, tasks);
}

/** Of a pipeline or a batch: it may also tell of tasks that a run below it has bought and, ended from outside, not named. */
function wrongSumOfParent(
  workflowId: string,
  charged: number,
  below: readonly GenerationFacts[],
  bought: readonly Purchase[],
): Finding[] {
  const all = bought.filter((task) => task.workflowId.startsWith(`${workflowId}/`));
  return unlessBetween(workflowId, charged, namedOf(below, bought), all);
}

function unlessBetween(
  workflowId: string,
  charged: number,
  least: readonly Purchase[],
  most: readonly Purchase[],
): Finding[] {
  const learned = priceOf(least.filter(({ isPriceless }) => isPriceless !== true));
  const paid = priceOf(most);
  return learned <= charged && charged <= paid
    ? []
    : [{ workflowId, what: `its runs were charged ${charged}, by the ledger ${paid}` }];
}

function namedOf(members: readonly GenerationFacts[], bought: readonly Purchase[]): Purchase[] {
  const named = namedBy(members);
  return bought.filter(({ taskId }) => named.has(taskId));
}

/** The tasks that the runs of generations name. */
function namedBy(members: readonly GenerationFacts[]): Set<string> {
  const attempts = members.flatMap(({ accounts = [] }) => accounts.flatMap((one) => one.attempts));
  return new Set(attempts.flatMap(({ taskId }) => taskId ?? []));
}

/** What these tasks cost by the ledger. */
function priceOf(tasks: readonly Purchase[]): number {
  return tasks.reduce((sum, { credits }) => sum + credits, 0);
}
