import { proxyActivities } from '@temporalio/workflow';
import { NO_USAGE, type Usage } from '../../api/records/usage.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { AFTER_ANOTHER_MEMO, ROW_MEMO, type RowLook } from '../../contract/batch.ts';
import { RETURNING } from '../../contract/entities/account.ts';
import type { PipelineRequest, PipelineResult } from '../../contract/pipeline.ts';
import { type Child, type ChildEnd, LOOKS, once } from '../once.ts';

/** What a row has bought that could not tell it is read from the histories and records of up to a thousand generations. */
const OPTIONS = { ...LOOKS, startToCloseTimeout: '10 minutes', heartbeatTimeout: '1 minute' } as const;
const { lookAtRow } = proxyActivities<Pick<DarkroomActivities, 'lookAtRow'>>(OPTIONS);
/** Where a budget holds credits for a row, others wait for its end. */
const limited = proxyActivities<Pick<DarkroomActivities, 'lookAtRow'>>({
  ...OPTIONS,
  retry: { ...OPTIONS.retry, maximumInterval: RETURNING.lookedAtWithin },
});

/** How a row has ended. `startedAt`: when what it was charged began, in milliseconds since the epoch. */
export type RowEnd = Pick<Extract<RowLook, { kind: 'ended' }>, 'isCompleted' | 'usage' | 'charged'> & {
  startedAt: number;
};

/** A row that cannot be run, or of which nothing is left. */
export const UNFIT: RowEnd = { isCompleted: false, usage: NO_USAGE, charged: NO_USAGE, startedAt: 0 };

/** One row that is to run. */
export interface Row {
  workflowId: string;
  digest: string;
  request: PipelineRequest;
  /** Whether a budget holds credits for it. */
  isLimited: boolean;
  /** Whether it may follow another run of its id that has ended. */
  isAnother: boolean;
  /** Whether an earlier batch of this id may have started it. */
  isAgain: boolean;
  /** Whether an earlier run of the batch may have told what rows were charged. */
  mayBeTold: () => boolean;
  /** Called once Temporal has told whether it was started. */
  onStart: () => void;
  /** Called where it was there already. */
  onThere: () => void;
}

/** Runs a row's pipeline to its end; where it is there already, it is taken as it is. A failure is a result here. */
export async function runRow(row: Row): Promise<RowEnd> {
  const { workflowId, digest, request, isAnother, isAgain, onStart, onThere } = row;
  // What was charged to the run before it, it tells as well.
  let isAfterAnother = isAnother;
  const memo = () => ({ [ROW_MEMO]: digest, ...(isAfterAnother ? { [AFTER_ANOTHER_MEMO]: true } : {}) });
  const child: Child = {
    type: 'pipeline',
    workflowId,
    argument: request,
    isAnother,
    isParentAgain: isAgain,
    memo: memo(),
  };
  let startedAt = Date.now();
  let last: RowLook | undefined;
  try {
    const end = await once<PipelineResult, RowLook>(child, {
      look: async (wait) => {
        last = await lookAt(row, wait);
        return last;
      },
      again: (found) => {
        if (found.kind !== 'ended' || found.isBefore !== true) return undefined;
        startedAt = Date.now();
        isAfterAnother = true;
        last = undefined;
        return { ...child, isAnother: true, memo: memo() };
      },
      onRunning: onStart,
      onThere: () => {
        onStart();
        onThere();
      },
    });
    const told = isLook(end) ? undefined : endOfChild(end);
    if (told?.usage !== undefined && !isAfterAnother) return { ...told, usage: told.usage, startedAt };
    // One that was ended from outside could not tell what it has bought, and the next one tells it as its own.
    const known = last === undefined || last.kind === 'running' || isOpen(last) ? undefined : last;
    const seen = endOf(known ?? (await lookAt(row, true)));
    if (told === undefined) return seen;
    return {
      isCompleted: told.isCompleted || seen.isCompleted,
      usage: told.usage ?? seen.usage,
      charged: seen.charged,
      startedAt: Math.max(startedAt, seen.startedAt),
    };
  } finally {
    onStart();
  }
}

/** What a row that runs is searched by now, its `DarkroomState`; null where it needs nothing, or does not run. */
export async function stateOfRow(workflowId: string, digest: string): Promise<string | null> {
  const found = await lookAtRow({ workflowId, digest, wait: false });
  return found.kind === 'running' ? (found.state ?? null) : null;
}

/** Waits for the end of a row that this run has not started. */
export async function followRow(row: LookedAtRow): Promise<RowEnd> {
  return endOf(await lookAt(row, true));
}

/** How a row has ended that is to be run once more: what is not known yet of what it has bought is not waited for. */
export async function lookOnce(row: LookedAtRow): Promise<RowEnd> {
  return endOf(await lookAt(row, false));
}

/** What a look at a row needs to know of it. */
export type LookedAtRow = Pick<Row, 'workflowId' | 'digest' | 'isLimited' | 'mayBeTold'>;

async function lookAt(
  { workflowId, digest, isLimited, mayBeTold }: LookedAtRow,
  wait: boolean,
): Promise<RowLook> {
  const looks = isLimited ? limited : { lookAtRow };
  return await looks.lookAtRow({ workflowId, digest, wait, isAgain: mayBeTold() });
}

function isLook(end: ChildEnd<PipelineResult> | RowLook): end is RowLook {
  return end.kind !== 'completed' && end.kind !== 'failed';
}

/** Whether what a row that has ended has bought is not known yet. */
export function isOpen(found: RowLook): boolean {
  return found.kind === 'ended' && found.isOpen === true;
}

function endOf(found: RowLook): RowEnd {
  return found.kind === 'ended' ? found : UNFIT;
}

function endOfChild(
  end: ChildEnd<PipelineResult>,
): Pick<RowEnd, 'isCompleted' | 'charged'> & { usage: Usage | undefined } {
  if (end.kind === 'completed') {
    const { status, usage, charged } = end.result;
    return { isCompleted: status === 'COMPLETED', usage, charged };
  }
  const details = end.failure.details as { usage?: Usage; charged?: Usage } | null; // if it has told any
  const { usage, charged = NO_USAGE } = details ?? {};
  return { isCompleted: false, usage, charged };
}
