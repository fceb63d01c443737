import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { BatchRequest, RowLook, RowToLookAt } from '../../contract/batch.ts';
import { askedInThisRun } from '../reset-watch.ts';

const { surveyRows, accountedRows } = proxyActivities<
  Pick<DarkroomActivities, 'surveyRows' | 'accountedRows'>
>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

/** What earlier runs of a batch have started and told. A run that is the first of its id never asks. */
export class EarlierRuns {
  /** Whether an earlier run of the id may have started rows. */
  readonly isAgain: boolean;
  #isNoticed = false;

  constructor({ again = false }: Pick<BatchRequest, 'again'>) {
    this.isAgain = again;
  }

  /** A row was there already, and nobody had said so. */
  notice(): void {
    this.#isNoticed = true;
  }

  /** Whether one may have told what the batch's rows were charged. */
  get mayHaveTold(): boolean {
    const { runId, firstExecutionRunId } = workflowInfo();
    return this.isAgain || this.#isNoticed || runId !== firstExecutionRunId;
  }

  /** When one has told the last time what rows were charged: that is not charged again. */
  async toldUntil(): Promise<number | null> {
    const { workflowId, runId } = workflowInfo();
    return this.mayHaveTold ? await askedInThisRun(() => accountedRows({ workflowId, runId })) : null;
  }

  /** What there is of rows, in their order; empty where no earlier run is known. */
  async survey(rows: Pick<RowToLookAt, 'workflowId' | 'digest'>[]): Promise<RowLook[]> {
    if (!this.isAgain || rows.length === 0) return [];
    return await surveyRows(rows);
  }
}
