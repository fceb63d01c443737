import { proxyActivities } from '@temporalio/workflow';
import { digestOf } from '../../api/input/field-digests.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { fansOut } from '../../contract/steps/references.ts';
import type { SaidOfStep } from '../../contract/steps/step-look.ts';
import { ResetWatch } from '../reset-watch.ts';
import { type State, stepAt, stepOf } from './state.ts';

const { surveySteps, saidOfStep } = proxyActivities<Pick<DarkroomActivities, 'surveySteps' | 'saidOfStep'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

/** Of a step, by a person. Inputs of null are the request's. */
export interface Approval {
  input: SaidOfStep['input'];
  after: Record<string, unknown>[];
}

/** By path, the output that an item of a fan-out was started for; null where it is none, or not known. */
type Found = ReadonlyMap<string, string | null>;

/**
 * What earlier runs of this pipeline have started. A run that is the first of its id never asks. One that runs again
 * finds out at once, or by the first generation that is there already; then all of them are looked for, once.
 */
export class EarlierRuns {
  readonly #run: { readonly state: State };
  /** Questions on their way, by step: the items of a fan-out share one. */
  readonly #watch = new ResetWatch();
  readonly #asked = new Map<string, Promise<SaidOfStep[]>>();
  #survey: Promise<Found> | undefined;

  constructor(run: { readonly state: State }) {
    this.#run = run;
  }

  async hasStarted(path: string): Promise<boolean> {
    return this.runsAgain && (await this.#found()).has(path);
  }

  /** What the items of a fan-out were started for, by index; empty where no earlier run is known. */
  async itemsOf(step: string): Promise<Map<number, string>> {
    const items = new Map<number, string>();
    // A reused source gives no sign of earlier runs: they are looked for, because something is asked for anyway.
    if (!this.runsAgain && this.#run.state.request.reuse === undefined) return items;
    for (const [path, each] of await this.#found()) {
      const [name, index] = path.split('/');
      if (name === step && index !== undefined && each !== null) items.set(Number(index), each);
    }
    return items;
  }

  /** With what people let a step be bought last in earlier runs, and the inputs that they gave after that, in order. */
  async approvalOf(name: string): Promise<Approval | undefined> {
    if (!this.runsAgain) return undefined;
    const said = await this.#givenTo(name);
    const place = said.findLastIndex(({ by }) => by === 'approve');
    const last = said[place];
    const after = said.slice(place + 1).flatMap(({ input }) => (input === null ? [] : [input]));
    return last && { input: last.input, after };
  }

  /** What a person gave a held step in an earlier run, after its present input had failed there. */
  async inputAfter(path: string): Promise<Record<string, unknown> | undefined> {
    const { state } = this.#run;
    const name = stepOf(path);
    const step = stepAt(state, path);
    if (!this.runsAgain || step.onFailure !== 'hold' || state.asked.includes(name)) return undefined;
    const given = await this.#givenTo(name);
    const isReplaced = state.inputs.has(name);
    const place = given.findLastIndex(({ input }) =>
      input === null ? !isReplaced : isReplaced && digestOf(input) === digestOf(step.input),
    );
    // One that no earlier run was given is of this run alone.
    if (place < 0 && isReplaced) return undefined;
    const after = given[place + 1];
    return after?.by === 'retry' ? (after.input ?? undefined) : undefined;
  }

  /** Whether an earlier run of this pipeline may have bought steps. One that was Reset after its check repeats one. */
  get runsAgain(): boolean {
    return this.#run.state.runsAgain || this.#watch.isReset;
  }

  /** Asked each time: a run may have been Reset from one that had asked before the person said it. */
  async #givenTo(name: string): Promise<SaidOfStep[]> {
    const asking = this.#asked.get(name) ?? saidOfStep({ step: name });
    this.#asked.set(name, asking);
    const said = await asking.finally(() => this.#asked.delete(name));
    // As it was, its input is the one that was given before; where none was, the request's is approved.
    return said.filter(({ input }, place) => {
      const isFirst = said.slice(0, place).every((one) => one.input === null && one.by !== 'approve');
      return input !== null || (said[place]?.by === 'approve' && isFirst);
    });
  }

  #found(): Promise<Found> {
    return (this.#survey ??= this.#look());
  }

  async #look(): Promise<Found> {
    const { id, request } = this.#run.state;
    const found = await surveySteps({
      pipelineId: id,
      steps: Object.keys(request.steps).map((name) => ({
        name,
        isFannedOut: fansOut(stepAt(this.#run.state, name).input),
      })),
    });
    return new Map(found);
  }
}
