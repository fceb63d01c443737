import {
  type ActivateInput,
  type Next,
  type WorkflowInfo,
  type WorkflowInternalsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import { forOneTry, isFinal, tryOrdinarily } from './local-tries.ts';

/** What a run reads of its place in the history. */
type Place = Pick<
  WorkflowInfo,
  'historyLength' | 'historySize' | 'continueAsNewSuggested' | 'targetWorkerDeploymentVersionChanged'
> & { now: number };

type Job = NonNullable<ActivateInput['activation']['jobs']>[number];

/** What came together, and is told together: messages first. */
interface Turn {
  readonly messages: (() => void)[];
  readonly others: (() => void)[];
}

/** What has been kept back is nothing that a run may know of. */
export interface Order {
  /** Whether a message is being answered that the run was told of. */
  isAnswering(): boolean;
  /** Tells of all messages at once: what goes on as another run would leave them behind. */
  hearAll(): void;
}

const KEPT_BACK = [
  'fireTimer',
  'resolveActivity',
  'resolveChildWorkflowExecution',
  'resolveChildWorkflowExecutionStart',
  'resolveSignalExternalWorkflow',
  'resolveRequestCancelExternalWorkflow',
] as const;

/**
 * From here on this run is told of everything in the order in which a replay tells of it, and its local activities take no
 * longer than a replay bears (`local-tries.ts`). To be called at the start of a workflow that has local activities.
 *
 * Where a query is answered while a local activity ends, the SDK completes the workflow task with its marker and tells the
 * workflow of the end in the next task: at a later time, with what else that one tells. A replay tells of the end with the
 * marker, before all that; and at once of two that ended one after the other. Code that goes by the order, or by the time,
 * then takes another way, and the run is stuck. So what comes while a local activity is open is told after its end, of which
 * the run has drawn all conclusions by then; until then its clock and the length of its history stand still.
 *
 * Not kept back: an update's acceptance, which the server waits for, and cancellation.
 */
export function keepOrder(): Order {
  const activator = getActivator();
  let place = placeNow();
  let told = place;
  let open = 0;
  let answering = 0;
  const ends: (() => void)[] = [];
  const turns: Turn[] = [];
  /** Joined by what comes together. */
  let latest: Turn | undefined;
  let isWatched = false;
  let isTelling = false;

  activator.interceptors.outbound.push({
    async scheduleLocalActivity(input, next) {
      open += 1;
      try {
        return await next(forOneTry(input));
      } catch (error) {
        if (isFinal(error, input)) throw error;
      } finally {
        open -= 1;
      }
      return await tryOrdinarily(input);
    },
  });
  activator.interceptors.internals.push({
    activate(input, next) {
      if (input.batchIndex === 0) told = placeNow();
      if (open === 0) tell(input, next);
      else keepBack(input, next);
    },
  });
  activator.interceptors.inbound.push({
    handleSignal: (input, next) => inTurn(() => next(input)),
    handleUpdate: (input, next) => inTurn(() => next(input)),
  });

  return {
    isAnswering: () => answering > 0,
    hearAll() {
      for (const { messages } of turns) for (const tellIt of messages.splice(0)) tellIt();
    },
  };

  function tell(input: ActivateInput, next: Next<WorkflowInternalsInterceptor, 'activate'>): void {
    place = told;
    show();
    next(input);
  }

  function keepBack(input: ActivateInput, next: Next<WorkflowInternalsInterceptor, 'activate'>): void {
    const jobs = input.activation.jobs ?? [];
    const only = (some: Job[]): ActivateInput => ({
      ...input,
      activation: { ...input.activation, jobs: some },
    });
    show();
    latest = undefined;
    const ended = jobs.filter(isLocalEnd);
    const others = jobs.filter((job) => !isLocalEnd(job));
    // A signal is told at once: its handler waits for its turn, as an unfinished one.
    next(only(others.filter(isAtOnce)));
    ends.push(...ended.map((job) => () => next(only([job]))));
    const later = others.filter((job) => !isAtOnce(job));
    if (later.length > 0) together().others.push(() => tell(only(later), next));
    watch();
  }

  function inTurn<T>(handle: () => Promise<T>): Promise<T> {
    const answer = (): Promise<T> => {
      answering += 1;
      const answered = handle();
      answered.then(isAnswered, isAnswered);
      return answered;
    };
    if (open === 0) return answer();
    return new Promise<T>((resolve) => {
      together().messages.push(() => resolve(answer()));
      watch();
    });
  }

  function isAnswered(): void {
    answering -= 1;
  }

  function together(): Turn {
    if (latest === undefined) turns.push((latest = { messages: [], others: [] }));
    return latest;
  }

  /** Temporal asks what is waited for, again and again until nothing has come true, and lets what follows from it happen between. */
  function watch(): void {
    if (isWatched || ends.length + turns.length === 0) return;
    isWatched = true;
    const resolve = (): void => {
      isWatched = false;
      // Not before what has been told was followed.
      void Promise.resolve().then(watch);
    };
    activator.blockedConditions.set(activator.nextSeqs.condition++, { fn: hasTold, resolve });
  }

  function hasTold(): boolean {
    if (isTelling || (open > 0 && ends.length === 0)) return false;
    isTelling = true;
    try {
      if (!unblockOthers()) tellNext();
    } finally {
      isTelling = false;
    }
    return true;
  }

  function tellNext(): void {
    const end = ends.shift();
    if (end !== undefined) return end();
    place = told;
    show();
    latest = undefined;
    const { messages = [], others = [] } = turns.shift() ?? {};
    for (const tellIt of [...messages, ...others]) tellIt();
  }

  function unblockOthers(): boolean {
    let count = 0;
    for (const [seq, blocked] of activator.blockedConditions) {
      if (!blocked.fn()) continue;
      blocked.resolve();
      activator.blockedConditions.delete(seq);
      count += 1;
    }
    return count > 0;
  }

  function show(): void {
    const { now, ...info } = place;
    activator.now = now;
    activator.mutateWorkflowInfo((was) => ({ ...was, ...info }));
  }

  function placeNow(): Place {
    const { historyLength, historySize, continueAsNewSuggested, targetWorkerDeploymentVersionChanged } =
      workflowInfo();
    const now = activator.now;
    return { now, historyLength, historySize, continueAsNewSuggested, targetWorkerDeploymentVersionChanged };
  }
}

function isLocalEnd({ resolveActivity }: Job): boolean {
  return resolveActivity?.isLocal === true;
}

function isAtOnce(job: Job): boolean {
  return KEPT_BACK.every((variant) => !job[variant]);
}
