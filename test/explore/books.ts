import type { Charge } from '../../emulator/src/index.ts';
import { placeOf } from './places.ts';
import type { Done } from './play.ts';
import type { Purchase } from './rule.ts';
import type { Stage } from './stage.ts';

/** From an event's delivery until its task is claimed: it is kept for two seconds before it is handed on. */
const TOLD = 4_500;
/** From an answer until what did not arrive is handed over by the audit. */
const AUDITED = 2_500;
/** From an answer's arrival at the worker until Temporal has it. */
const REPORTING = 1_500;

/** The service's own books on one place: what was bought, what became of it, and what the outside was told. */
export class Books {
  readonly #stage: Stage;
  readonly #place: string;
  readonly #done: Done;
  readonly #waits: number;
  /** As long as it takes on this machine. */
  readonly #slowness: number;

  /** @param waits how long signs of a lost submit are waited for (ms) */
  constructor(stage: Stage, place: string, done: Done, waits: number) {
    this.#stage = stage;
    this.#place = place;
    this.#done = done;
    this.#waits = waits;
    this.#slowness = stage.slowness;
  }

  charges(): Charge[] {
    return this.allCharges().filter(({ workflow }) => placeOf(workflow ?? '') !== undefined);
  }

  /** Also those that a person has bought by hand. */
  allCharges(): Charge[] {
    return this.#stage.emulator.service().ledger.charges({ workspace: this.#place });
  }

  /** Whether there is a sign of a task that could be of use to that workflow: an event that was delivered, an answer. */
  tellsOf(workflowId: string): boolean {
    return this.#useful(workflowId).some(
      (taskId) => this.#toldAt(taskId) !== null || this.#answeredAt(taskId) !== null,
    );
  }

  /** A task of that workflow that a person would name. */
  ofUse(workflowId: string): string | undefined {
    return this.#useful(workflowId).at(-1);
  }

  /** @param recordedAt when a task's id first stood in a history (ms since the epoch) */
  purchases(recordedAt: ReadonlyMap<string, number>): Purchase[] {
    const { tasks } = this.#stage.emulator.service();
    return this.charges().map(({ taskId, workflow, at, credits, refund }): Purchase => {
      const task = tasks.get(taskId);
      if (task === undefined) throw new Error(`the emulator has no task ${taskId}`);
      const toldAt = this.#toldAt(taskId);
      const answeredAt = this.#answeredAt(taskId);
      const signs = [
        { at: recordedAt.get(taskId), reckonedWithin: 0 },
        { at: toldAt, reckonedWithin: TOLD },
        { at: answeredAt, reckonedWithin: AUDITED },
      ].flatMap((sign) => (sign.at == null ? [] : [{ ...sign, at: sign.at }]));
      const first = Math.min(...signs.map((sign) => sign.at));
      // Whoever waits for signs buys nothing before one that comes meanwhile.
      const isWaitedFor = first - at <= this.#waits;
      const knownAt = isWaitedFor
        ? at
        : Math.min(...signs.map((sign) => sign.at + sign.reckonedWithin * this.#slowness));
      return {
        taskId,
        workflowId: workflow ?? '',
        at,
        // Another seed is another try at the same.
        input: JSON.stringify({ ...task.input, seed: undefined }),
        credits: refund === null ? credits : 0,
        status: task.status,
        code: task.code,
        endedAt: task.completedAt,
        fate: task.fate.kind === 'vanish' ? 'vanishes' : task.fate.kind === 'hang' ? 'hangs' : 'other',
        knownAt: signs.length === 0 ? null : knownAt,
        signAt: signs.length === 0 ? null : first,
        isPriceless: task.fate.kind === 'vanish' && answeredAt === null,
      };
    });
  }

  #useful(workflowId: string): string[] {
    const { tasks } = this.#stage.emulator.service();
    return this.charges().flatMap(({ workflow, taskId }) => {
      const task = tasks.get(taskId);
      const isOver =
        task === undefined || task.vanished || task.status === 'FAILED' || task.status === 'CANCELED';
      return workflow === workflowId && !isOver ? [taskId] : [];
    });
  }

  /** When a receiver had acknowledged that it is there: by then the entity, or its run, has been told. */
  #toldAt(taskId: string): number | null {
    const events = this.#stage.gateway.passed.filter((event) => event.taskId === taskId);
    const created = events.find(({ event }) => event === 'task.created');
    const told = events.flatMap(({ event, status, at, answeredAt }) => {
      if (status === null || status >= 300 || answeredAt === undefined) return [];
      // The first event is handed over; one that comes while that is under way tells nothing.
      if (event === 'task.started' && created !== undefined && created.at <= at) return [];
      return this.#done.forgottenAt.some((forgotten) => forgotten > Date.parse(at))
        ? []
        : Date.parse(answeredAt);
    });
    return told.length === 0 ? null : Math.min(...told);
  }

  /** When its answer came to the worker, unless that may have swallowed it, or those are deleted that got it. */
  #answeredAt(taskId: string): number | null {
    const at = this.#stage.gate.answered.get(taskId);
    if (at === undefined || this.#done.forgottenTasks.has(taskId)) return null;
    const isLost = this.#done.swallowed.some(
      ({ from, to }) => from <= at + (REPORTING + AUDITED) * this.#slowness && at <= to,
    );
    return isLost ? null : at;
  }
}
