import { addUsage, NO_USAGE, subtractUsage } from '../../api/records/usage.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import type { Omission, StepItem } from '../../contract/pipeline.ts';
import type { CountedBefore, Tried } from '../../contract/steps/carried-pipeline.ts';
import { costsOf } from './step-result.ts';

/** How a generation of the pipeline ended. */
export interface Settled {
  item: StepItem;
  /** When its last run was started, in milliseconds since the epoch. */
  startedAt: number;
  /** Of what it is charged, what was counted with the run before it, too. */
  countedBefore?: CountedBefore | undefined;
  /** It failed in an earlier run, where a person then gave the step this input. */
  next?: Record<string, unknown> | undefined;
}

interface Kept extends Settled {
  /** How many of the cuts it has had. */
  level: number;
  /** Bytes with no cut, with the first, with the first two, … */
  sizes: readonly number[];
}

/** A message that is one of a thousand has to be short (characters). */
const SHORT_MESSAGE = 120;

/**
 * What is left out where there is no room, in this order, each time of the largest first: the API's `data`; then
 * attempts and what was wrong with each field; then outputs; then the ends of long messages. What is left out of a
 * generation is in the generation's own result.
 */
const CUTS: readonly ((item: StepItem) => StepItem)[] = [
  (item) => cutResult(item, 'data', { data: null }),
  (item) => cutDetails(cutResult(item, 'attempts', { attempts: [] })),
  (item) => cutResult(item, 'outputs', { outputs: [] }),
  cutMessage,
];

/** How the generations of a pipeline have ended, by their paths; never more than so many bytes as JSON. */
export class Results {
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();
  readonly #tried: Map<string, Tried>;
  #bytes = 0;

  /**
   * @param most bytes of all of them together, with their paths
   * @param tried what earlier tries have cost, by path
   */
  constructor(
    most: number,
    known: Iterable<readonly [string, Settled]> = [],
    tried: Iterable<readonly [string, Tried]> = [],
  ) {
    this.#most = most;
    this.#tried = new Map(tried);
    for (const [path, settled] of known) this.settle(path, settled);
  }

  get size(): number {
    return this.#kept.size;
  }

  get(path: string): Settled | undefined {
    return this.#kept.get(path);
  }

  entries(): [string, Settled][] {
    return [...this.#kept].map(([path, { item, startedAt, countedBefore }]) => [
      path,
      { item, startedAt, countedBefore },
    ]);
  }

  /** Whether it has failed before, and is tried again. */
  wasTried(path: string): boolean {
    return this.#tried.has(path);
  }

  /** What the tries have cost that were followed by others. */
  get tried(): [string, Tried][] {
    return [...this.#tried];
  }

  /** Everything that the generations have cost, with when it was. */
  costs(): [path: string, costs: Tried][] {
    const last = [...this.#kept].map(([path, settled]): [string, Tried] => [
      path,
      this.#costsOf(path, settled),
    ]);
    return [...this.#tried, ...last];
  }

  settle(path: string, { item, startedAt, countedBefore }: Settled): void {
    this.#drop(path);
    let form = item;
    const beside = path.length + (countedBefore === undefined ? 0 : jsonBytes(countedBefore));
    const sizes = [sizeOf(item) + beside];
    for (const cut of CUTS) {
      form = cut(form);
      sizes.push(sizeOf(form) + beside);
    }
    this.#kept.set(path, { item, startedAt, countedBefore, level: 0, sizes });
    this.#bytes += sizes[0] ?? 0;
    for (let level = 0; level < CUTS.length && this.#bytes > this.#most; level += 1) this.#cutLargest(level);
  }

  /** Something else is to take its place: what it has cost stays on record. */
  supersede(path: string): void {
    const kept = this.#kept.get(path);
    if (kept === undefined) return;
    const costs = this.#costsOf(path, kept);
    const before = this.#tried.get(path) ?? { usage: NO_USAGE, charged: NO_USAGE };
    this.#tried.set(path, {
      ...before,
      ...costs,
      usage: addUsage(before.usage, costs.usage),
      charged: addUsage(before.charged, costs.charged),
    });
    this.#drop(path);
  }

  /** Of a generation's last try, beside what those before it have cost: what it has adopted of them is counted there. */
  #costsOf(path: string, { item, startedAt, countedBefore }: Settled): Tried {
    const costs = costsOf(item);
    if (!this.wasTried(path))
      return { ...costs, startedAt, ...(countedBefore === undefined ? {} : { countedBefore }) };
    const own = subtractUsage(costs.charged, countedBefore?.usage ?? NO_USAGE);
    return { usage: own, charged: own, startedAt };
  }

  #drop(path: string): void {
    const kept = this.#kept.get(path);
    this.#bytes -= kept?.sizes[kept.level] ?? 0;
    this.#kept.delete(path);
  }

  #cutLargest(level: number): void {
    const uncut = [...this.#kept.values()].filter((kept) => kept.level === level);
    const gain = ({ sizes }: Kept): number => (sizes[level] ?? 0) - (sizes[level + 1] ?? 0);
    for (const kept of uncut.sort((a, b) => gain(b) - gain(a))) {
      if (this.#bytes <= this.#most) return;
      kept.item = CUTS[level]?.(kept.item) ?? kept.item;
      kept.level = level + 1;
      this.#bytes -= gain(kept);
    }
  }
}

function sizeOf(item: StepItem): number {
  // Beside it stands the frame of a step with a list of items; or a time between two runs.
  return jsonBytes(item) + 90;
}

function cutResult(item: StepItem, what: Omission, without: object): StepItem {
  if (item.status !== 'COMPLETED') return item;
  const { omitted = [] } = item;
  if (omitted.includes(what) || isEmpty(item.result[what])) return item;
  return { ...item, result: { ...item.result, ...without }, omitted: [...omitted, what] };
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** What a failure cost is kept: sums are made of it. */
function cutDetails(item: StepItem): StepItem {
  if (item.status !== 'FAILED' || item.failure.details === null) return item;
  return { ...item, failure: { ...item.failure, details: { attempts: [], ...costsOf(item) } } };
}

function cutMessage(item: StepItem): StepItem {
  if (item.status === 'COMPLETED' || item.failure.message.length <= SHORT_MESSAGE) return item;
  const message = `${item.failure.message.slice(0, SHORT_MESSAGE - 1)}…`;
  return { ...item, failure: { ...item.failure, message } };
}
