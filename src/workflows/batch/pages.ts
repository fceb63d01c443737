import { getExternalWorkflowHandle, proxyActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { BatchRequest, BatchRow, CarriedBatch } from '../../contract/batch.ts';
import { releaseRowsSignal } from '../../contract/messages.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { checkRows } from './read-arguments.ts';

const { readRows } = proxyActivities<Pick<DarkroomActivities, 'readRows'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

type Page = BatchRequest['pages'][number];

/** The pages of a batch's rows, and how far it is in them. */
export class Pages {
  /** Rows of the whole batch. */
  readonly rows: number;
  readonly #pages: readonly Page[];
  readonly #workspace: string;
  #page: number;
  #position: number;

  constructor(
    { pages, pipeline }: BatchRequest,
    { page, position }: Pick<CarriedBatch, 'page' | 'position'>,
  ) {
    this.#pages = pages;
    this.#workspace = pipeline.workspace ?? DEFAULT_WORKSPACE;
    this.rows = rowsOf(pages);
    this.#page = page;
    this.#position = position;
  }

  get areOver(): boolean {
    return this.#page >= this.#pages.length;
  }

  /** The place of the next row among all. */
  get next(): number {
    return rowsOf(this.#pages.slice(0, this.#page)) + this.#position;
  }

  /** The rows of the page that are ahead. */
  async read(): Promise<BatchRow[]> {
    const page = this.#pages[this.#page];
    if (page === undefined || this.#position >= page.rows) return [];
    const { workflowId } = page;
    const rows = checkRows(await readRows({ workflowId, workspace: this.#workspace }), page);
    return rows.slice(this.#position);
  }

  /** The next row has been started, or settled. */
  pass(): void {
    this.#position += 1;
  }

  /** A page whose rows have all been started is not needed any more; one that is gone already is none the worse. */
  async turn(): Promise<void> {
    const page = this.#pages[this.#page];
    if (page !== undefined)
      await getExternalWorkflowHandle(page.workflowId)
        .signal(releaseRowsSignal)
        .catch(() => undefined);
    this.#page += 1;
    this.#position = 0;
  }

  /** For the next run of a batch that continues as new. */
  carry(): Pick<CarriedBatch, 'page' | 'position'> {
    return { page: this.#page, position: this.#position };
  }
}

function rowsOf(pages: readonly Page[]): number {
  return pages.reduce((sum, { rows }) => sum + rows, 0);
}
