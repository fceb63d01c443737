import { hash } from 'node:crypto';
import { canonicalJson } from '../../../src/api/json/canonical-json.ts';
import type { Usage } from '../../../src/api/records/usage.ts';
import { Collection, type Keeping } from '../storage/collection.ts';

/** One purchase: the ground truth for "charged once". */
export interface Charge {
  /** As its task's. */
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
  readonly #charges: Collection<Charge>;
  /** The latest charge of each workflow. */
  readonly #latest = new Map<string | null, Charge>();

  constructor(keeping: Keeping) {
    this.#charges = new Collection(keeping, 'charges', 'ledger');
    for (const charge of this.#charges.values()) this.#remember(charge);
  }

  /** Records the purchase of a task. */
  charge(purchase: Omit<Charge, 'id' | 'answered' | 'endedInVain' | 'boughtAgain' | 'refund'>): Charge {
    const before = this.#latest.get(purchase.workflow);
    const charge: Charge = {
      ...purchase,
      id: purchase.taskId,
      answered: false,
      endedInVain: false,
      boughtAgain: before !== undefined && !before.endedInVain,
      refund: null,
    };
    this.#remember(charge);
    this.#charges.save(charge);
    return charge;
  }

  /** The answer with the task's id has left whole. */
  answered(charge: Charge): void {
    charge.answered = true;
    this.#charges.save(charge);
  }

  /** A task failed or was canceled: to buy another one is no mistake. @param refund what goes back, if anything does */
  endedInVain(taskId: string, refund: { at: number; reason: string } | undefined): Charge | undefined {
    const charge = this.#charges.get(taskId);
    if (charge === undefined) return undefined;
    charge.endedInVain = true;
    if (refund !== undefined) charge.refund = { ...refund, credits: charge.credits, usage: charge.usage };
    this.#charges.save(charge);
    return charge;
  }

  charges(filter: ChargeFilter = {}): Charge[] {
    return this.#charges
      .all()
      .filter(
        (charge) =>
          (filter.workspace === undefined || charge.workspace === filter.workspace) &&
          (filter.workflow === undefined || charge.workflow === filter.workflow) &&
          (filter.taskId === undefined || charge.taskId === filter.taskId) &&
          (filter.unowned === undefined || (charge.workflow === null) === filter.unowned) &&
          (filter.answered === undefined || charge.answered === filter.answered),
      );
  }

  #remember(charge: Charge): void {
    if (charge.workflow !== null) this.#latest.set(charge.workflow, charge);
  }
}

/** Equal for the same model with an equal input, whatever the order of its fields. */
export function inputHash(model: string, input: Record<string, unknown>): string {
  return hash('sha256', `${model}\n${canonicalJson(input)}`, 'hex');
}
