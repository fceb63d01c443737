import { setTimeout as delay } from 'node:timers/promises';
import type { EmulatorControl } from '../../test/chaos/emulator-control.ts';
import type { Edge } from '../edge/edge.ts';
import type { Order } from '../service/caller.ts';
import { COMPETITORS, type Competitor, type CompetitorName } from './competitors.ts';
import { fateOf, type LevelName, type Role, roleOf } from './levels.ts';
import { type Score, scoreOf } from './score.ts';
import { openService, type Service, type ServiceOptions } from './service.ts';
import type { Supervisor } from './supervisor.ts';
import type { TemporalServer } from './temporal.ts';

export interface ContestOptions extends Omit<ServiceOptions, 'baseUrl' | 'fate'> {
  seed: number;
  level: LevelName;
  orders: number;
  /** For how long the API is away, milliseconds. */
  away: number;
  /** For how long nothing is reported until what is open counts as stuck, milliseconds. */
  patience: number;
  emulator: EmulatorControl;
  say: (line: string) => void;
}

/** Words in the prompts of orders whose tasks hang until the test ends them. */
export const HANGS = 'patiently';
export const hangRule = (name: CompetitorName): string => `hangs-${name}`;

/** So long after its last answer a caller has done with it what it does: noted the id, sent a heartbeat, polled. */
const AT_REST = 10_000;
const AWAY_FROM_TEMPORAL = 2_000;
const LOOK_EVERY = 100;

/** One competitor at one level. */
export class Contest {
  readonly #options: ContestOptions;
  readonly #competitor: Competitor;
  readonly #edge: Edge;
  readonly #supervisor: Supervisor;
  readonly #temporal: TemporalServer | undefined;
  readonly #orders: readonly (Order & { role: Role })[];
  /** Orders whose Reset has not ended well. */
  readonly #resets = { failed: 0 };

  private constructor(options: ContestOptions, { edge, supervisor, temporal }: Service) {
    this.#options = options;
    this.#competitor = COMPETITORS[options.name];
    this.#edge = edge;
    this.#supervisor = supervisor;
    this.#temporal = temporal;
    this.#orders = Array.from({ length: options.orders }, (_, index) => {
      const number = index + 1;
      const role = roleOf(options.seed, options.level, number);
      const manner = role === 'waits' ? `, ${HANGS}` : '';
      return { number, role, prompt: `order ${number}${manner}: a lighthouse at dawn` };
    });
  }

  static async run(options: ContestOptions): Promise<Score> {
    const { seed, level, emulator } = options;
    await using service = await openService({
      ...options,
      baseUrl: emulator.baseUrl,
      fate: (order, nth) => fateOf(seed, level, order, nth),
    });
    const contest = new Contest(options, service);
    const cpuAtStart = service.supervisor.cpu();
    await contest.#run();
    return await contest.#score(cpuAtStart);
  }

  async #run(): Promise<void> {
    await this.#finish(this.#of('plain'));
    switch (this.#options.level) {
      case 'caller killed':
        return await this.#killCaller();
      case 'API away':
        return await this.#takeApiAway();
      case 'Temporal killed':
        return await this.#killTemporal();
      case 'Reset':
        return await this.#reset();
      case 'none':
      case 'lost answers':
      case 'refusals':
      case 'webhooks':
        return undefined;
    }
  }

  async #killCaller(): Promise<void> {
    const answers = this.#of('answer');
    await this.#beginAndHold(answers);
    await this.#supervisor.kill();
    this.#edge.release();
    await this.#supervisor.start();
    await this.#settle(answers);

    const waits = this.#of('waits');
    await this.#beginAndWait(waits);
    await this.#supervisor.kill();
    await this.#options.emulator.removeFault(hangRule(this.#options.name));
    await this.#supervisor.start();
    await this.#endTasks(waits);
    await this.#settle(waits);
  }

  async #takeApiAway(): Promise<void> {
    const [waits, meanwhile] = [this.#of('waits'), this.#of('meanwhile')];
    await this.#beginAndWait(waits);
    await this.#edge.away();
    const back = delay(this.#options.away);
    await this.#supervisor.give(meanwhile);
    await back;
    await this.#options.emulator.removeFault(hangRule(this.#options.name));
    await this.#edge.open();
    await this.#endTasks(waits);
    await this.#settle([...waits, ...meanwhile]);
  }

  async #killTemporal(): Promise<void> {
    const [waits, answers] = [this.#of('waits'), this.#of('answer')];
    await this.#beginAndWait(waits);
    await this.#beginAndHold(answers);
    await this.#temporal?.kill();
    this.#edge.release();
    await delay(AWAY_FROM_TEMPORAL);
    await this.#temporal?.startAgain();
    await this.#options.emulator.removeFault(hangRule(this.#options.name));
    await this.#endTasks(waits);
    await this.#settle([...waits, ...answers]);
  }

  async #reset(): Promise<void> {
    const orders = this.#of('reset');
    await this.#finish(orders);
    const { workflowId } = this.#competitor;
    const done = orders.filter(({ number }) => this.#supervisor.outcomes.get(number)?.kind === 'result');
    const again = await Promise.all(
      done.map(async ({ number }) => await this.#temporal?.reset(workflowId?.(number) ?? '')),
    );
    this.#resets.failed = again.filter((ended) => ended === false).length;
  }

  #of(role: Role): readonly (Order & { role: Role })[] {
    return this.#orders.filter((order) => order.role === role);
  }

  async #finish(orders: readonly Order[]): Promise<void> {
    await this.#supervisor.give(orders);
    await this.#settle(orders);
  }

  /** Each of the orders is taken and charged, and its answer is on the way. */
  async #beginAndHold(orders: readonly Order[]): Promise<void> {
    for (const { number } of orders) this.#edge.held.add(number);
    await this.#supervisor.give(orders);
    await this.#until('the orders are taken', () =>
      orders.every(({ number }) => this.#edge.of(number).taken > 0),
    );
  }

  /** Each of the orders is taken, and its caller waits for the task, with all at rest that its answer has set off. */
  async #beginAndWait(orders: readonly Order[]): Promise<void> {
    await this.#supervisor.give(orders);
    await this.#until('the orders wait', () =>
      orders.every(({ number }) => {
        const { taken, gets } = this.#edge.of(number);
        return taken > 0 && (gets > 0 || !this.#competitor.polls);
      }),
    );
    await delay(AT_REST);
  }

  /** Ends the tasks that hang. */
  async #endTasks(orders: readonly Order[]): Promise<void> {
    const names = new Set(orders.map(({ number }) => `order/${number}`));
    const charges = await this.#charges();
    for (const { taskId, workflow } of charges) {
      if (workflow !== null && names.has(workflow)) await this.#options.emulator.finishTask(taskId);
    }
  }

  /** Waits until all are reported, or nothing was for as long as patience lasts. */
  async #settle(orders: readonly Order[]): Promise<void> {
    const { outcomes } = this.#supervisor;
    const open = (): number => orders.filter(({ number }) => !outcomes.has(number)).length;
    const begun = Date.now();
    while (open() > 0) {
      if (Date.now() - Math.max(this.#supervisor.lastAt, begun) > this.#options.patience) return;
      await delay(LOOK_EVERY);
    }
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const late = Date.now() + this.#options.patience;
    while (!holds()) {
      if (Date.now() > late)
        throw new Error(`${this.#options.name}, ${this.#options.level}: never came to: ${what}`);
      await delay(LOOK_EVERY);
    }
  }

  async #charges() {
    const all = await this.#options.emulator.charges();
    return all.filter(({ workspace }) => workspace === this.#options.name);
  }

  async #score(cpuAtStart: number): Promise<Score> {
    const cpu = this.#supervisor.cpu() - cpuAtStart;
    const score = scoreOf({
      orders: this.#orders.map(({ number }) => number),
      outcomes: this.#supervisor.outcomes,
      charges: await this.#charges(),
      tasks: await this.#options.emulator.tasks(),
    });
    const actions = await this.#temporal?.actions();
    return {
      ...score,
      lost: score.lost + this.#resets.failed,
      results: score.results - this.#resets.failed,
      posts: this.#edge.total('posts'),
      gets: this.#edge.total('gets'),
      actions: actions === undefined ? null : Math.round((10 * actions) / score.generations) / 10,
      cpu: Math.round(cpu / score.generations),
    };
  }
}
