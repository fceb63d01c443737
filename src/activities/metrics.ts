import { Counter, type Registry } from 'prom-client';

/** What the activities count. No label holds an id, or anything else from outside. */
export class DarkroomMetrics {
  readonly #alteredFields: Counter<'model' | 'field'>;
  readonly #lateProofs: Counter<'model'>;
  readonly #handedOver: Counter;
  readonly #capsPassed: Counter<'account'>;
  readonly #priceAlarms: Counter<'model'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#alteredFields = new Counter({
      name: 'darkroom_altered_fields_total',
      help: 'Fields that the API answered with other than they were sent',
      labelNames: ['model', 'field'],
      registers,
    });
    this.#lateProofs = new Counter({
      name: 'darkroom_late_proofs_total',
      help: 'Submits that were given up as unknown and turned out to be charged',
      labelNames: ['model'],
      registers,
    });
    this.#handedOver = new Counter({
      name: 'darkroom_handed_over_answers_total',
      help: 'Answers to submits that did not reach their workflow and were handed over',
      registers,
    });
    this.#capsPassed = new Counter({
      name: 'darkroom_caps_passed_total',
      help: 'Periods in which a cap that only warns was passed',
      labelNames: ['account'],
      registers,
    });
    this.#priceAlarms = new Counter({
      name: 'darkroom_price_alarms_total',
      help: 'Tasks that were charged more than three times what such tasks have cost',
      labelNames: ['model'],
      registers,
    });
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
