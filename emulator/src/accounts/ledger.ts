import { hash, randomUUID } from 'node:crypto';
import type { Usage } from '../../../src/api/usage.ts';
import type { Changes } from '../storage/changes.ts';
import type { Storage, Table } from '../storage/storage.ts';
import { canonicalJson } from './canonical-json.ts';

/** One purchase: the ground truth for "charged once". */
export interface Charge {
  id: string;
  taskId: string;
  model: string;
  workspace: string;
  keyId: string;
  credits: number;
  usage: Usage;
  /** Milliseconds since the epoch. */
  at: number;
  /** SHA-256 of the model and the normalized input: equal for equal purchases. */
  inputHash: string;
  /** From the request's `X-Darkroom-Workflow` header; null: nobody said whose it is. */
  workflow: string | null;
  /** Whether the HTTP answer left here whole. False while it is under way, and for good if it was lost. */
  answered: boolean;
  /** Whether its task failed or was canceled. */
  endedInVain: boolean;
  /** Whether its workflow had bought a task before that has not ended in vain: nobody meant to pay twice. */
  boughtAgain: boolean;
  refund: { at: number; credits: number; usage: Usage; reason: string } | null;
}

export interface ChargeFilter {
  workspace?: string | undefined;
  workflow?: string | undefined;
  taskId?: string | undefined;
  /** Only charges whose task nobody owns: no workflow was named. */
  unowned?: boolean | undefined;
  answered?: boolean | undefined;
}

/** Every charge and refund, in order. It never forgets one, except on a reset. */
export class Ledger {
  readonly #charges = new Map<string, Charge>();
  /** The latest charge of each workflow. */
  readonly #latest = new Map<string, Charge>();
  readonly #table: Table<Charge>;
  readonly #changes: Changes;

  constructor(storage: Storage, changes: Changes) {
    this.#changes = changes;
    this.#table = storage.table('charges');
    for (const charge of this.#table.all()) this.#remember(charge);
  }

  /** Records the purchase of a task. */
  charge(
    purchase: Pick<
      Charge,
      'taskId' | 'model' | 'workspace' | 'keyId' | 'credits' | 'usage' | 'at' | 'inputHash' | 'workflow'
    >,
  ): Charge {
    const before = purchase.workflow === null ? undefined : this.#latest.get(purchase.workflow);
    const charge: Charge = {
      ...purchase,
      id: randomUUID(),
      answered: false,
      endedInVain: false,
      boughtAgain: before !== undefined && !before.endedInVain,
      refund: null,
    };
    this.#remember(charge);
    this.#save(charge);
    return charge;
  }

  /** The answer with the task's id has left whole. */
  answered(charge: Charge): void {
    charge.answered = true;
    this.#save(charge);
  }

  /** Its task failed or was canceled: to buy another one is no mistake. */
  endedInVain(taskId: string): void {
    const charge = this.#charges.get(taskId);
    if (charge === undefined) return;
    charge.endedInVain = true;
    this.#save(charge);
  }

  /** Records that a task's credits went back. Undefined: nothing was charged, or it was given back before. */
  refund(taskId: string, reason: string, at: number): Charge | undefined {
    const charge = this.#charges.get(taskId);
    if (charge === undefined || charge.refund !== null) return undefined;
    charge.refund = { at, credits: charge.credits, usage: charge.usage, reason };
    this.#save(charge);
    return charge;
  }

  charges(filter: ChargeFilter = {}): Charge[] {
    return [...this.#charges.values()].filter(
      (charge) =>
        (filter.workspace === undefined || charge.workspace === filter.workspace) &&
        (filter.workflow === undefined || charge.workflow === filter.workflow) &&
        (filter.taskId === undefined || charge.taskId === filter.taskId) &&
        (filter.unowned === undefined || (charge.workflow === null) === filter.unowned) &&
        (filter.answered === undefined || charge.answered === filter.answered),
    );
  }

  #remember(charge: Charge): void {
    this.#charges.set(charge.taskId, charge);
    if (charge.workflow !== null) this.#latest.set(charge.workflow, charge);
  }

  #save(charge: Charge): void {
    this.#table.put(charge.taskId, charge);
    this.#changes.announce('ledger', charge.taskId);
  }
}

/** Equal for the same model with an equal input, whatever the order of its fields. */
export function inputHash(model: string, input: Record<string, unknown>): string {
  return hash('sha256', `${model}\n${canonicalJson(input)}`, 'hex');
}
