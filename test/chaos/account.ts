import { type GenerationCode, generationCode } from '../../src/api/codes.ts';
import type { PlannedGeneration } from './plan.ts';

/** One charge and its task, by the emulator's word. Times in milliseconds since the epoch, by its clock. */
export interface Purchase {
  taskId: string;
  workflowId: string;
  at: number;
  status: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELED';
  code: string | null;
  endedAt: number | null;
  /** Decided at its purchase: GET answers 404 for it, or it never ends. */
  fate: 'vanishes' | 'hangs' | 'other';
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
  | { kind: 'failed'; type: string; unknownsAtEnd: number }
  | { kind: 'stuck'; waiting: boolean }
  | { kind: 'gone'; status: string }
  /** It was never started: a step whose pipeline skipped it. */
  | { kind: 'never started' };

export interface GenerationFacts extends PlannedGeneration {
  ending: Ending;
  /** Runs of its workflow id: the first one, and one more for each Reset or further purchase by a pipeline. */
  runs: number;
}

export interface PipelineFacts {
  workflowId: string;
  ending: 'completed' | 'failed' | 'stuck' | 'gone';
}

export interface Finding {
  workflowId: string;
  what: string;
}

export interface Account {
  extra: Finding[];
  lost: Finding[];
  stuck: Finding[];
  waiting: Finding[];
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
 * lost at the API, or where the storm itself hit the submit.
 */
export function unknowable({ answered, told, recorded, disturbed }: Purchase): boolean {
  return !told && !recorded && (!answered || disturbed);
}

/** Whether a task was of no use any more at a time, so that its generation may buy another. */
function overAt({ status, endedAt, fate }: Purchase, time: number): boolean {
  if (fate === 'vanishes') return true;
  return (status === 'FAILED' || status === 'CANCELED') && endedAt !== null && endedAt <= time;
}

/**
 * The verdict on a storm. The rule for charges: when a task is bought for a group of n generations with the same
 * input (n is 1 but for twins), fewer than n earlier ones may be of use, that is neither over nor unknowable.
 * Besides, no more tasks that failed with a code and could be known of than the policy resubmits, for each run.
 */
export function account(
  generations: readonly GenerationFacts[],
  pipelines: readonly PipelineFacts[],
  purchases: readonly Purchase[],
  rules: Rules,
): Account {
  const found: Account = { extra: [], lost: [], stuck: [], waiting: [] };
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
    for (const member of members) judgeEnding(member, bought, results, rules, found);
    found.lost.push(...unusedResults(group, members, bought));
  }
  for (const { workflowId, ending } of pipelines) {
    const steps = generations.filter(({ pipeline }) => pipeline === workflowId);
    const whole = steps.every((step) => step.ending.kind === 'completed');
    if (ending === 'stuck') found.stuck.push({ workflowId, what: 'pipeline' });
    else if (ending === 'gone' || (ending === 'failed' && whole)) {
      found.lost.push({ workflowId, what: `pipeline ${ending}, though its steps are whole` });
    } else if (ending === 'completed' && !whole) {
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
      .filter((earlier) => !overAt(earlier, purchase.at) && !unknowable(earlier));
    if (inUse.length < members.length) return;
    const others = inUse.map(({ taskId, status }) => `${taskId} (${status})`).join(', ');
    extra.push({
      workflowId: purchase.workflowId,
      what: `task ${purchase.taskId} was bought beside ${others}`,
    });
  });
  const runs = members.reduce((sum, member) => sum + member.runs, 0);
  // Of the failure of a task that nobody could know of nothing follows.
  const failed = bought.filter((task) => task.status === 'FAILED' && !unknowable(task));
  for (const [code, tasks] of Map.groupBy(failed, (task) => generationCode(task.code))) {
    const allowed = (1 + (code === undefined ? 0 : resubmissions(code))) * runs;
    for (let index = allowed; index < tasks.length; index += 1) {
      extra.push({ workflowId: group, what: `${tasks.length} tasks failed with ${code} in ${runs} run(s)` });
    }
  }
  return extra;
}

function judgeEnding(
  { workflowId, group, ending, refused, pipeline }: GenerationFacts,
  bought: readonly Purchase[],
  results: Map<string, string>,
  { resubmissions, maxUnknowns }: Rules,
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
      lose(`failed with ${ending.type} for no reason`);
    }
  }

  /** Whether the API gave a reason for the failure that the policy does not get over. */
  function mayFail(): boolean {
    if (ending.kind !== 'failed') return false;
    const code = generationCode(ending.type);
    if (code !== undefined) {
      const failed = bought.filter((task) => generationCode(task.code) === code);
      return code === refused || failed.length > resubmissions(code);
    }
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
  const unused = bought.filter(
    (task) =>
      task.status === 'COMPLETED' && task.fate !== 'vanishes' && !used.has(task.taskId) && !unknowable(task),
  );
  // One that is unused beside a completed generation is an extra charge, and counted there.
  return unused.slice(0, without.length).map(({ taskId }) => ({
    workflowId: group,
    what: `task ${taskId} is done and paid for, and nobody got its result`,
  }));
}
