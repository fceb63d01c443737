import { isDeepStrictEqual } from 'node:util';
import type { EventType } from '../../../src/api/event-types.ts';
import type { Changes } from '../storage/changes.ts';
import type { Storage, Table } from '../storage/storage.ts';
import { draw } from './draw.ts';
import { type FaultOf, type FaultRule, type FaultRuleInput, faultRuleSchema } from './rule.ts';

/** A call that a fault may strike. */
export interface Call<On extends FaultRule['on'] = FaultRule['on']> {
  on: On;
  workspace: string;
  /** Whose call it is, the same in every run of a storm: a workflow id, else something as stable. */
  identity: () => string;
  model?: string;
  prompt?: string;
  taskId?: string;
  workflow?: string | null;
  event?: EventType;
}

/** A rule in force, with what it has done. */
export interface ActiveRule {
  id: string;
  rule: FaultRule;
  /** Matching calls so far, and how many of them it struck. */
  seen: number;
  injected: number;
}

/** The fault rules. The first one that strikes a call decides; a rule that is behind it does not count the call. */
export class Faults {
  readonly #rules = new Map<string, ActiveRule>();
  /** Matching calls by rule and identity: the n-th call of an identity draws the same number in every run. */
  readonly #turns = new Map<string, number>();
  readonly #injected = new Map<string, number>();
  readonly #table: Table<ActiveRule>;
  readonly #changes: Changes;
  readonly #seed: number;
  #created = 0;

  constructor(storage: Storage, changes: Changes, seed: number) {
    this.#changes = changes;
    this.#seed = seed;
    this.#table = storage.table('faults');
    for (const active of this.#table.all()) {
      this.#rules.set(active.id, active);
      this.#created += 1;
    }
  }

  all(): ActiveRule[] {
    return [...this.#rules.values()];
  }

  /** Puts a rule in force, behind the others. A rule with the same id is replaced and counts from zero. */
  add(input: FaultRuleInput): ActiveRule {
    const rule = faultRuleSchema.parse(input);
    const id = rule.id ?? this.#newId(rule);
    this.remove(id);
    const active: ActiveRule = { id, rule, seen: 0, injected: 0 };
    this.#rules.set(id, active);
    this.#save(active);
    return active;
  }

  /** Puts a rule in force unless it is already: one that an earlier process left goes on counting. */
  keep(input: FaultRuleInput & { id: string }): void {
    const known = this.#rules.get(input.id);
    if (!isDeepStrictEqual(known?.rule, faultRuleSchema.parse(input))) this.add(input);
  }

  remove(id: string): boolean {
    if (!this.#rules.delete(id)) return false;
    for (const turn of this.#turns.keys()) if (turn.startsWith(`${id}\u0000`)) this.#turns.delete(turn);
    this.#table.remove(id);
    this.#changes.announce('fault', id);
    return true;
  }

  clear(): void {
    for (const id of this.#rules.keys()) this.remove(id); // a map may be emptied while it is walked
  }

  /** Faults that struck, by `<on>.<kind>`. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#injected);
  }

  /** The fault that strikes this call, if one does. */
  pick<On extends FaultRule['on']>(call: Call<On>): FaultOf<On> | undefined {
    if (this.#rules.size === 0) return undefined;
    for (const active of this.#rules.values()) {
      if (active.rule.on !== call.on || !matches(active.rule, call)) continue;
      active.seen += 1;
      if (!this.#strikes(active, call)) {
        this.#table.put(active.id, active);
        continue;
      }
      active.injected += 1;
      const name = `${call.on}.${active.rule.fault.kind}`;
      this.#injected.set(name, (this.#injected.get(name) ?? 0) + 1);
      this.#save(active);
      return active.rule.fault as FaultOf<On> | undefined; // `on` was compared above, and it decides the fault's type
    }
    return undefined;
  }

  #strikes({ id, rule, seen, injected }: ActiveRule, call: Call): boolean {
    if (rule.times !== undefined && injected >= rule.times) return false;
    if (rule.nth !== undefined && ![rule.nth].flat().includes(seen)) return false;
    if (rule.share === undefined) return true;
    const identity = call.identity();
    const turn = `${id}\u0000${identity}`;
    const count = (this.#turns.get(turn) ?? 0) + 1;
    this.#turns.set(turn, count);
    return draw(this.#seed, id, identity, count) < rule.share;
  }

  /** A name that no rule has: a rule is replaced only by one that was given its name. */
  #newId({ on, fault }: FaultRule): string {
    let id: string;
    do {
      this.#created += 1;
      id = `${on}-${fault.kind}-${this.#created}`;
    } while (this.#rules.has(id));
    return id;
  }

  #save(active: ActiveRule): void {
    this.#table.put(active.id, active);
    this.#changes.announce('fault', active.id);
  }
}

function matches({ match }: FaultRule, call: Call): boolean {
  return (
    (match.workspace === undefined || match.workspace === call.workspace) &&
    (match.model === undefined || match.model === call.model) &&
    (match.taskId === undefined || match.taskId === call.taskId) &&
    (match.event === undefined || match.event === call.event) &&
    (match.promptIncludes === undefined || (call.prompt ?? '').includes(match.promptIncludes)) &&
    (match.workflowIncludes === undefined || (call.workflow ?? '').includes(match.workflowIncludes))
  );
}
