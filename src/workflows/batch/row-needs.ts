import { log, upsertSearchAttributes } from '@temporalio/workflow';
import type { BatchProgress, BatchRequest, CarriedBatch, RowNeed, RowState } from '../../contract/batch.ts';
import {
  DarkroomState,
  DarkroomWorkspace,
  NEEDS_A_LOOK,
  WAITING_FOR_BUDGET,
} from '../../contract/search-attributes.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { stateOfRow } from './row.ts';

/** Rows that need a look, as the query tells of them; of more the number is told. */
const MOST_TOLD = 20;

/** Characters of what a row says: anybody may send the signal. */
const LONGEST_STATE = 40;
const LONGEST_STEP = 64;
const LONGEST_NOTE = 1_000;

/**
 * The rows of a batch that need a look or wait for their budget, as they have said themselves; never more of them than
 * run. The batch is searched by the most urgent that needs a look: `DarkroomState`.
 */
export class RowNeeds {
  readonly #workspace: string;
  readonly #isRunning: (workflowId: string) => boolean;
  readonly #onChange: () => void;
  readonly #needs: Map<string, RowNeed>;
  /** Rows that run and have said anything. */
  readonly #heard = new Set<string>();
  #asking = 0;
  #state: string | undefined;

  /** @param isRunning whether a workflow is that of a row that has not ended */
  constructor(
    { pipeline }: BatchRequest,
    carried: CarriedBatch['needs'] = { rows: [], state: null },
    { isRunning, onChange }: { isRunning: (workflowId: string) => boolean; onChange: () => void },
  ) {
    this.#workspace = pipeline.workspace ?? DEFAULT_WORKSPACE;
    this.#isRunning = isRunning;
    this.#onChange = onChange;
    this.#needs = new Map(carried.rows.map((need) => [need.workflowId, need]));
    this.#state = carried.state ?? undefined;
  }

  /** Whether a row is asked what it needs: the next run would not know of it. */
  get isAsking(): boolean {
    return this.#asking > 0;
  }

  /** As the query tells it. @param holdUp why the next row is not started yet, where it waits for the budget */
  told(holdUp: string | undefined): Pick<BatchProgress, 'attention' | 'moreAttention' | 'waiting'> {
    const waiting = [...this.#needs.values()].filter(isWaiting);
    const notes = [
      ...waiting.map(({ note = WAITING_FOR_BUDGET }) => note),
      ...(holdUp === undefined ? [] : [holdUp]),
    ];
    const [note] = notes;
    const needs = this.#urgent;
    const more = needs.length - MOST_TOLD;
    return {
      attention: needs.slice(0, MOST_TOLD),
      ...(more > 0 ? { moreAttention: more } : {}),
      ...(note === undefined ? {} : { waiting: { rows: notes.length, note } }),
    };
  }

  /** Asks a row that another run has started: it may have said what it needs before its turn came here. */
  async ask(workflowId: string, digest: string): Promise<void> {
    this.#asking += 1;
    const state = await stateOfRow(workflowId, digest).catch(() => null); // cancelled: its end tells enough
    this.#asking -= 1;
    if (state !== null && !this.#heard.has(workflowId))
      this.hear({ workflowId, step: null, asks: null, state, note: null });
  }

  /** What a row needs now, or that it needs nothing. Whoever sends a signal may say so, in any words. */
  hear(said: Partial<RowState> | null | undefined): void {
    const workflowId: unknown = said?.workflowId;
    if (typeof workflowId !== 'string' || !this.#isRunning(workflowId)) return;
    this.#heard.add(workflowId);
    const state = words(said?.state, LONGEST_STATE);
    if (state === '') this.#needs.delete(workflowId);
    else {
      const [step, note] = [words(said?.step, LONGEST_STEP), words(said?.note, LONGEST_NOTE)];
      this.#needs.set(workflowId, {
        workflowId,
        state,
        ...(step === '' ? {} : { step }),
        ...(said?.asks === 'approval' || said?.asks === 'held' ? { asks: said.asks } : {}),
        ...(note === '' ? {} : { note }),
      });
    }
    this.#show();
    this.#onChange();
  }

  /** A row has ended. */
  settle(workflowId: string): void {
    this.#heard.delete(workflowId);
    if (this.#needs.delete(workflowId)) this.#show();
  }

  /** For the next run of a batch that continues as new. */
  carry(): NonNullable<CarriedBatch['needs']> {
    return { rows: [...this.#needs.values()], state: this.#state ?? null };
  }

  /** Those that need a look: the most urgent first, then in the order in which they have said so. */
  get #urgent(): RowNeed[] {
    const rank = ({ state }: RowNeed): number => {
      const place = NEEDS_A_LOOK.findIndex((one) => one === state);
      return place < 0 ? NEEDS_A_LOOK.length : place;
    };
    return [...this.#needs.values()].filter((need) => !isWaiting(need)).toSorted((a, b) => rank(a) - rank(b));
  }

  #show(): void {
    const [first] = this.#urgent;
    if (first?.state === this.#state) return;
    this.#state = first?.state;
    upsertSearchAttributes([
      { key: DarkroomState, value: first?.state ?? null },
      { key: DarkroomWorkspace, value: this.#workspace },
    ]);
    if (first !== undefined) log.warn(`${first.state}: ${first.workflowId} ${first.note ?? ''}`);
  }
}

function isWaiting({ state }: RowNeed): boolean {
  return state === WAITING_FOR_BUDGET;
}

function words(said: unknown, most: number): string {
  return typeof said === 'string' ? said.slice(0, most) : '';
}
