import { isDeepStrictEqual } from 'node:util';
import type { EventType } from '../../../src/api/events/event-types.ts';
import { Collection, type Keeping } from '../storage/collection.ts';
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
export class Faults extends Collection<ActiveRule> {
  /** Matching calls by rule and identity: the n-th call of an identity draws the same number in every run. */
  readonly #calls = new Map<string, number>();
  readonly #injected = new Map<string, number>();
  readonly #seed: number;
  #created: number;

  constructor(keeping: Keeping, seed: number) {
    super(keeping, 'faults', 'fault');
    this.#seed = seed;
    this.#created = this.size;
  }

  /** Puts a rule in force, behind the others. A rule with the same id is replaced and counts from zero. */
  add(input: FaultRuleInput): ActiveRule {
    const rule = faultRuleSchema.parse(input);
    const id = rule.id ?? this.#newId(rule);
    this.remove(id);
    const active: ActiveRule = { id, rule, seen: 0, injected: 0 };
    this.save(active);
    return active;
  }

  /** Puts a rule in force unless it is already: one that an earlier process left goes on counting. */
  keep(input: FaultRuleInput & { id: string }): void {
    const known = this.get(input.id);
    if (!isDeepStrictEqual(known?.rule, faultRuleSchema.parse(input))) this.add(input);
  }

  override remove(id: string): boolean {
    for (const call of this.#calls.keys()) if (call.startsWith(`${id}\u0000`)) this.#calls.delete(call);
    return super.remove(id);
  }

  clear(): void {
    for (const { id } of this.all()) this.remove(id);
  }

  /** Faults that struck, by `<on>.<kind>`. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#injected);
  }

  /** The fault that strikes this call, if one does. */
  pick<On extends FaultRule['on']>(call: Call<On>): FaultOf<On> | undefined {
    if (this.size === 0) return undefined;
    for (const active of this.values()) {
      if (active.rule.on !== call.on || !matches(active.rule, call)) continue;
      active.seen += 1;
      const strikes = this.#strikes(active, call);
      if (strikes) active.injected += 1;
      this.save(active);
      if (!strikes) continue;
      const name = `${call.on}.${active.rule.fault.kind}`;
      this.#injected.set(name, (this.#injected.get(name) ?? 0) + 1);
      return active.rule.fault as FaultOf<On> | undefined; // `on` was compared above, and it decides the fault's type
    }
    return undefined;
  }

  #strikes({ id, rule, seen, injected }: ActiveRule, call: Call): boolean {
    if (rule.times !== undefined && injected >= rule.times) return false;
    if (rule.nth !== undefined && ![rule.nth].flat().includes(seen)) return false;
    if (rule.share === undefined) return true;
    const identity = call.identity();
    const name = `${id}\u0000${identity}`;
    const count = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, count);
    return draw(this.#seed, id, identity, count) < rule.share;
  }

  /** A name that no rule has: a rule is replaced only by one that was given its name. */
  #newId({ on, fault }: FaultRule): string {
    let id: string;
    do {
      this.#created += 1;
      id = `${on}-${fault.kind}-${this.#created}`;
    } while (this.get(id) !== undefined);
    return id;
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
