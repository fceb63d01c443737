import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import { NO_USAGE, type Usage } from '../../api/records/usage.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { ROW_MEMO, type RowLook } from '../../contract/batch.ts';
import { RETURNING } from '../../contract/entities/account.ts';
import type { PipelineRequest, PipelineResult } from '../../contract/pipeline.ts';
import { type Child, type ChildEnd, LOOKS, once } from '../once.ts';

const { lookAtRow } = proxyActivities<Pick<DarkroomActivities, 'lookAtRow'>>(LOOKS);
/** Where a budget holds credits for a row, others wait for its end. */
const limited = proxyActivities<Pick<DarkroomActivities, 'lookAtRow'>>({
  ...LOOKS,
  retry: { ...LOOKS.retry, maximumInterval: RETURNING.lookedAtWithin },
});

/** How a row has ended. `startedAt`: its last run, in milliseconds since the epoch. */
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
  /** Called once Temporal has told whether it was started. */
  onStart: () => void;
  /** Called where it was there already. */
  onThere: () => void;
}

/** Runs a row's pipeline to its end; where it is there already, it is taken as it is. A failure is a result here. */
export async function runRow(row: Row): Promise<RowEnd> {
  const { workflowId, digest, request, isLimited, isAnother, isAgain, onStart, onThere } = row;
  const child: Child = {
    type: 'pipeline',
    workflowId,
    argument: request,
    isAnother,
    isParentAgain: isAgain,
    memo: { [ROW_MEMO]: digest },
  };
  let startedAt = Date.now();
  try {
    const end = await once<PipelineResult, RowLook>(child, {
      look: (wait) => looks(isLimited).lookAtRow({ workflowId, digest, wait }),
      again: (found) => {
        if (found.kind !== 'ended' || found.isBefore !== true) return undefined;
        startedAt = Date.now();
        return { ...child, isAnother: true };
      },
      onRunning: onStart,
      onThere: () => {
        onStart();
        onThere();
      },
    });
    if (isLook(end)) return endOf(end);
    const told = endOfChild(end);
    // One that was ended from outside could not tell what it has bought.
    const usage = told.usage ?? (await CancellationScope.nonCancellable(() => usageOf(row)));
    return { ...told, usage, startedAt };
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
export async function followRow({
  workflowId,
  digest,
  isLimited,
}: Pick<Row, 'workflowId' | 'digest' | 'isLimited'>): Promise<RowEnd> {
  return endOf(await looks(isLimited).lookAtRow({ workflowId, digest, wait: true }));
}

function looks(isLimited: boolean): Pick<DarkroomActivities, 'lookAtRow'> {
  return isLimited ? limited : { lookAtRow };
}

function isLook(end: ChildEnd<PipelineResult> | RowLook): end is RowLook {
  return end.kind !== 'completed' && end.kind !== 'failed';
}

function endOf(found: RowLook): RowEnd {
  return found.kind === 'ended' ? found : UNFIT;
}

async function usageOf({ workflowId, digest }: Row): Promise<Usage> {
  const found = await lookAtRow({ workflowId, digest, wait: false });
  return found.kind === 'ended' ? found.usage : NO_USAGE;
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
