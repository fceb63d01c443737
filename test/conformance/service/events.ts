import { describe, expect } from 'vitest';
import type { FaultRuleInput } from '../../../emulator/src/faults/rule.ts';
import { EVENT_TYPES, TERMINAL_EVENTS } from '../../../src/api/events/event-types.ts';
import type { WebhookEvent } from '../../../src/api/events/webhook-event.ts';
import { isModelId, MODELS } from '../../../src/api/models/registry.ts';
import { casesFor } from '../cases.ts';
import { PAYLOAD_FIELDS } from '../specification-payload.ts';
import { accepted } from './answers.ts';
import type { Check } from './check.ts';
import { delivered } from './delivered.ts';
import type { Listening, Target } from './target.ts';
import { waitFor } from './wait-for.ts';

type Prediction = WebhookEvent['prediction'];

/** Webhook deliveries: their headers, signatures, payloads, and that they are retried. */
export function events(check: Check): void {
  describe('a task that completes', () => {
    check('tells so in signed events whose payload has every field', async (target) => {
      await using listening = await target.listen();
      const { id, told } = await bought(target, listening, 'task.completed');
      const record = await listening.caller.recordWhen(id);
      for (const { event, prediction } of told) {
        expect(prediction).toMatchObject({ id, input: record.input, error: null });
        if (event === 'task.created') expect(prediction).toMatchObject({ started_at: null, artifacts: [] });
        if (event === 'task.completed') {
          expect(prediction.credits.usage).toBe(record.usage.total);
          expect(prediction.artifacts.length).toBeGreaterThan(0);
          expect(inOrder(prediction.created_at, prediction.started_at, prediction.completed_at)).toBe(true);
        } else expect(prediction.completed_at).toBeNull();
      }
    });

    check(
      'tells it in exactly the fields that are shown, created before started before completed',
      async (target) => {
        const { control } = target;
        await using listening = await target.listen();
        const { id, told } = await bought(target, listening, 'task.completed');
        expect(told.map(({ event }) => event).toSorted()).toEqual([
          'task.completed',
          'task.created',
          'task.started',
        ]);
        for (const event of told) {
          expect(Object.keys(event)).toEqual(PAYLOAD_FIELDS.event);
          expectFields(event.prediction, PAYLOAD_FIELDS.prediction);
          expectFields(event.prediction.credits, PAYLOAD_FIELDS.credits);
          expectFields(event.prediction.owner ?? {}, PAYLOAD_FIELDS.owner);
          for (const artifact of event.prediction.artifacts) {
            expectFields(artifact, PAYLOAD_FIELDS.artifact);
            expectFields(artifact.asset ?? {}, PAYLOAD_FIELDS.asset);
          }
        }
        const { workspace } = await control.task(id);
        expect(told.map(({ prediction }) => prediction.workspace)).toEqual(told.map(() => workspace));
      },
    );
  });

  describe('a task that does not complete', () => {
    check('tells that it failed, with a sanitized error and without artifacts', async (target) => {
      const prediction = await predictionOf(target, { kind: 'fail', code: 'TIMEOUT' }, 'task.failed');
      const { code, message } = prediction.error ?? {};
      expect([prediction.state, code, message]).toEqual([
        'failed',
        'IMAGE_GENERATION_TIMEOUT',
        expect.any(String),
      ]);
      expect(Object.keys(prediction.error ?? {})).toEqual(['code', 'message']);
      expect(prediction.artifacts).toEqual([]);
      expect(prediction.completed_at).not.toBeNull();
    });

    check('tells that it was canceled, without an error', async (target) => {
      const prediction = await predictionOf(target, { kind: 'cancel' }, 'task.canceled');
      expect([prediction.state, prediction.error, prediction.artifacts]).toEqual(['canceled', null, []]);
      expect(prediction.completed_at).not.toBeNull();
    });

    check('has one terminal event and no event after it', async (target) => {
      void target.control;
      await using listening = await target.listen();
      const fault = { kind: 'cancel' } as const;
      const { told } = await bought(target, listening, 'task.canceled', fault);
      const terminal = told.filter(({ event }) => TERMINAL_EVENTS.has(event));
      const [last] = terminal;
      expect(terminal).toHaveLength(1);
      const others = told.filter((event) => event !== last);
      expect(others.map(({ prediction }) => prediction.completed_at)).toEqual(others.map(() => null));
    });
  });

  describe('a delivery', () => {
    for (const status of [301, 404, 500]) {
      check(`that is answered ${status} comes again under its id, freshly signed`, async (target) => {
        await using listening = await emulated(target, ['task.created']);
        const { receiver, secret, caller } = listening;
        receiver.answers.push(status, status);
        const { id } = accepted(await caller.submit(MODELS['image-l'], { prompt: 'a fox' }));
        await waitFor(target, () => receiver.of(id).length === 3);
        const attempts = receiver.of(id);
        expect(attempts.map((one) => delivered(one, secret).event)).toEqual(
          attempts.map(() => 'task.created'),
        );
        expect(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
        expect(new Set(attempts.map(({ raw }) => raw)).size).toBe(1);
      });
    }

    for (const event of EVENT_TYPES) {
      check(`of a test ${event} is signed like the others`, async (target) => {
        await using listening = await emulated(target);
        await target.control.do(`POST /endpoints/${listening.endpointId}/test`, { event });
        const [received] = await waitFor(
          target,
          () => listening.receiver.received.length > 0 && listening.receiver.received,
        );
        expect(received && delivered(received, listening.secret).event).toBe(event);
      });
    }
  });
}

/** As `listen`, where the receiver's answers and test deliveries are ours to choose. @throws NotHere elsewhere */
async function emulated(target: Target, events: readonly string[] = EVENT_TYPES): Promise<Listening> {
  void target.control; // throws where there is none
  return await target.listen({ events });
}

/** Buys one task and waits for its terminal event. @returns all events that came in of it, each checked */
async function bought(
  target: Target,
  { caller, receiver, secret, workspace }: Listening,
  terminal: WebhookEvent['event'],
  fault?: (FaultRuleInput & { on: 'task' })['fault'],
): Promise<{ id: string; told: WebhookEvent[] }> {
  const [wanted = 'image-l'] = target.settings.models;
  const model = MODELS[target.isEmulator || !isModelId(wanted) ? 'image-l' : wanted];
  const input = casesFor(model, target.inputUrl).find(({ name }) => name === 'example')?.input ?? {};
  const submit = () => caller.submit(model, input);
  const rule = { on: 'task', match: { workspace } } as const;
  const { id } = accepted(
    fault === undefined ? await submit() : await target.control.during({ ...rule, fault }, submit),
  );
  const told = await waitFor(target, () => {
    const all = receiver.of(id).map((one) => delivered(one, secret));
    const ended = all.some(({ event }) => event === terminal);
    return ended && (!target.isEmulator || all.length === 3) && all;
  });
  return { id, told };
}

async function predictionOf(
  target: Target,
  fault: (FaultRuleInput & { on: 'task' })['fault'],
  terminal: WebhookEvent['event'],
): Promise<Prediction> {
  void target.control; // only there a task can be given a fate
  await using listening = await target.listen();
  const { told } = await bought(target, listening, terminal, fault);
  const found = told.find(({ event }) => event === terminal);
  if (found === undefined) throw new Error(`no ${terminal} came in`);
  return found.prediction;
}

function expectFields(value: object, fields: readonly string[]): void {
  expect(Object.keys(value).toSorted()).toEqual(fields.toSorted());
}

function inOrder(...times: (string | null)[]): boolean {
  const numbers = times.map((time) => Date.parse(time ?? ''));
  return numbers.every((time, index) => time >= (numbers[index - 1] ?? time));
}
