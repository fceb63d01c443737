import type { Registry } from 'prom-client';
import type { SubmitOutcome } from '../api/client/submit-outcome.ts';
import { withoutPrefix } from '../api/codes.ts';
import { isModelId } from '../api/models/registry.ts';
import type { AttemptReport } from '../contract/sinks.ts';
import { counter, histogram } from '../operations/metrics/create-metrics.ts';

/** What runs and activities count. No label holds an id, or anything else from outside. */
export class DarkroomMetrics {
  readonly #workspaces: ReadonlySet<string>;
  readonly #submits;
  readonly #attempts;
  readonly #credits;
  readonly #settled;
  readonly #results;
  readonly #waits;
  readonly #adoptions;
  readonly #decisions;
  readonly #alteredFields;
  readonly #lateProofs;
  readonly #handedOver;
  readonly #capsPassed;
  readonly #priceAlarms;

  /** @param workspaces that are configured: a request may name any */
  constructor(registry: Registry, workspaces: Iterable<string>) {
    this.#workspaces = new Set(workspaces);
    this.#submits = counter(registry, 'darkroom_submits_total');
    this.#attempts = counter(registry, 'darkroom_attempts_total');
    this.#credits = counter(registry, 'darkroom_credits_total');
    this.#settled = counter(registry, 'darkroom_settled_total');
    this.#results = histogram(registry, 'darkroom_result_seconds');
    this.#waits = histogram(registry, 'darkroom_submit_wait_seconds');
    this.#adoptions = counter(registry, 'darkroom_adoptions_total');
    this.#decisions = counter(registry, 'darkroom_decisions_asked_total');
    this.#alteredFields = counter(registry, 'darkroom_altered_fields_total');
    this.#lateProofs = counter(registry, 'darkroom_late_proofs_total');
    this.#handedOver = counter(registry, 'darkroom_handed_over_answers_total');
    this.#capsPassed = counter(registry, 'darkroom_caps_passed_total');
    this.#priceAlarms = counter(registry, 'darkroom_price_alarms_total');
    // Rates of what has not happened yet are 0, not missing.
    for (const outcome of ['accepted', 'rejected', 'unknown']) this.#submits.inc({ outcome, code: '' }, 0);
    for (const by of ['webhook', 'poll']) this.#settled.inc({ by }, 0);
  }

  /** @param waited milliseconds since the run has asked for it */
  submitted(outcome: SubmitOutcome, waited: number): void {
    const code = outcome.kind === 'rejected' ? shownCode(outcome.code) : '';
    this.#submits.inc({ outcome: outcome.kind, code });
    this.#waits.observe(waited / 1_000);
  }

  attempted({ model, workspace, outcome, code, credits, settledBy, lasted }: AttemptReport): void {
    const known = isModelId(model) ? model : 'other';
    this.#attempts.inc({ model: known, outcome, code: code === null ? '' : shownCode(code) });
    if (credits > 0) this.charged(model, workspace, credits);
    if (settledBy !== null) this.#settled.inc({ by: settledBy });
    if (outcome === 'completed' && lasted !== null) this.#results.observe({ model: known }, lasted / 1_000);
  }

  charged(model: string, workspace: string, credits: number): void {
    const known = this.#workspaces.has(workspace) ? workspace : 'other';
    this.#credits.inc({ workspace: known, model: isModelId(model) ? model : 'other' }, credits);
  }

  adopted(model: string): void {
    this.#adoptions.inc({ model: isModelId(model) ? model : 'other' });
  }

  asked(model: string): void {
    this.#decisions.inc({ model: isModelId(model) ? model : 'other' });
  }

  alteredField(model: string, field: string): void {
    this.#alteredFields.inc({ model, field });
  }

  lateProof(model: string): void {
    this.#lateProofs.inc({ model });
  }

  capPassed(account: string): void {
    this.#capsPassed.inc({ account });
  }

  priceAlarm(model: string): void {
    this.#priceAlarms.inc({ model });
  }

  handedOver(): void {
    this.#handedOver.inc();
  }
}

/** The API may answer with codes that its specification does not list. */
function shownCode(code: string): string {
  const bare = withoutPrefix(code);
  return /^[A-Z][A-Z_]{2,40}$/.test(bare) ? bare : 'other';
}
