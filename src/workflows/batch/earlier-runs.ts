import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { BatchRequest, BatchRow, RowLook } from '../../contract/batch.ts';
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
  readonly #known = new Map<string, RowLook>();

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

  /** Asks what there is of the rows that come next. */
  async survey(rows: readonly BatchRow[]): Promise<void> {
    const asked = rows.map(({ id, digest }) => ({ workflowId: idOf(id), digest }));
    const looks = asked.length === 0 ? [] : await surveyRows(asked);
    for (const [index, look] of looks.entries()) this.#known.set(asked[index]?.workflowId ?? '', look);
    if (looks.some(({ kind }) => kind !== 'missing')) this.notice();
  }

  /** What there is of a row, as far as that was asked. */
  known(workflowId: string): RowLook {
    return this.#known.get(workflowId) ?? { kind: 'missing' };
  }
}

/** The workflow id of a row. */
export function idOf(row: string): string {
  return `${workflowInfo().workflowId}/${row}`;
}
