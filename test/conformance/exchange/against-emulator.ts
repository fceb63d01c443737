import type { TaskFault } from '../../../emulator/src/faults/rule.ts';
import { type Emulator, startEmulator } from '../../../emulator/src/index.ts';
import { generationCode } from '../../../src/api/codes.ts';
import { EVENT_TYPES } from '../../../src/api/events/event-types.ts';
import { isRecord } from '../../../src/api/json/is-record.ts';
import { TERMINAL_STATES } from '../../../src/api/records/generation-record.ts';
import { until } from '../../emulator/until.ts';
import { WebhookReceiver } from '../../emulator/webhooks/webhook-receiver.ts';
import { eventOf, nameOf } from './against-contract.ts';
import { differInShape } from './differ-in-shape.ts';
import type { Difference } from './difference.ts';
import type { Exchange, RecordedDelivery, Recording } from './recording.ts';

/** Asks the emulator what a service was asked, and says where it answers otherwise. */
export async function differencesFromEmulator({
  exchanges,
  deliveries = [],
  models,
}: Recording): Promise<Difference[]> {
  await using receiver = await WebhookReceiver.start();
  const emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    models,
    durations: { queue: 0, run: 0 },
    endpoints: [{ workspace: 'default', url: receiver.url }],
    accounts: [{ workspace: 'default', apiKey: KEY, credits: { permanent: 1_000_000 } }],
  });
  try {
    const found: Difference[] = [];
    /** The emulator's task for each of the service's. */
    const tasks = new Map<unknown, string>();
    for (const exchange of exchanges) {
      if (isUnderWay(exchange)) continue;
      const fate = fateOf(exchange, exchanges);
      const answer = await answerOf(emulator, exchange, tasks, fate);
      if (exchange.step === 'a submit' && isRecord(answer.body) && isRecord(exchange.response.body))
        tasks.set(exchange.response.body['id'], String(answer.body['id']));
      const name = nameOf(exchange);
      found.push(
        ...differ(exchange, answer).map((one) => ({ exchange: name, from: 'the emulator' as const, ...one })),
      );
    }
    for (const delivery of deliveries) found.push(...(await differOnWebhook(delivery, tasks, receiver)));
    return found;
  } finally {
    await emulator.close();
  }
}

const KEY = 'sk-emulator-of-the-replay';

/** The webhook that the emulator sends of its own task, beside the service's of the same type. */
async function differOnWebhook(
  delivery: RecordedDelivery,
  tasks: ReadonlyMap<unknown, string>,
  receiver: WebhookReceiver,
): Promise<Difference[]> {
  const { body } = delivery;
  const prediction = isRecord(body) ? body['prediction'] : undefined;
  const own = tasks.get(idOf(prediction));
  const event = eventOf(delivery);
  const isKnown = EVENT_TYPES.some((type) => type === event);
  if (own === undefined || !isKnown) return [];
  const payload = await until(
    () => receiver.of(own).find((received) => received.payload.event === event)?.payload as unknown,
    `the emulator's ${event}`,
  );
  return differInShape(body, payload).map((one) => ({
    exchange: `webhook ${event}`,
    from: 'the emulator' as const,
    ...one,
  }));
}

interface Answer {
  status: number;
  body: unknown;
}

type Told = Pick<Difference, 'says' | 'assumption'>;

/** A task on its way: when it was looked at is chance. */
function isUnderWay({ step, response: { body } }: Exchange): boolean {
  const status = isRecord(body) ? body['status'] : undefined;
  return step === 'its task' && ![...TERMINAL_STATES].some((one) => one === status);
}

/** How the task of a submit has ended otherwise than well: the emulator's is to end so, too. */
function fateOf(submit: Exchange, exchanges: readonly Exchange[]): TaskFault | undefined {
  const id = idOf(submit.response.body);
  if (submit.step !== 'a submit' || id === undefined) return undefined;
  const ended = exchanges.map(({ response }) => response.body).findLast((body) => idOf(body) === id);
  if (!isRecord(ended)) return undefined;
  if (ended['status'] === 'CANCELED') return { kind: 'cancel' };
  // A code that the specification does not have is told of as a difference from the contract.
  const code = ended['status'] === 'FAILED' ? generationCode(String(ended['code'])) : undefined;
  return code === undefined ? undefined : { kind: 'fail', code };
}

function idOf(body: unknown): unknown {
  return isRecord(body) ? body['id'] : undefined;
}

async function answerOf(
  emulator: Emulator,
  { step, request }: Exchange,
  tasks: ReadonlyMap<unknown, string>,
  fate: TaskFault | undefined,
): Promise<Answer> {
  const { method, path, key, body } = request;
  const own =
    step === 'its task' ? tasks.get(decodeURIComponent(path.replace('generation/', ''))) : undefined;
  const ask = async (): Promise<Answer> => {
    const response = await fetch(`${emulator.baseUrl}/${own === undefined ? path : `generation/${own}`}`, {
      method,
      headers: {
        ...(key === 'none' ? {} : { authorization: `Bearer ${key === 'good' ? KEY : 'no-such-key'}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  if (step === 'its task')
    return await until(async () => {
      const answer = await ask();
      const status = isRecord(answer.body) ? answer.body['status'] : undefined;
      const isOpen = status === 'IN_QUEUE' || status === 'IN_PROGRESS';
      return !isOpen && answer;
    });
  if (fate === undefined) return await ask();
  const rule = emulator.service().faults.add({ on: 'task', fault: fate });
  try {
    return await ask();
  } finally {
    emulator.service().faults.remove(rule.id);
  }
}

function differ({ step, request, response }: Exchange, answer: Answer): Told[] {
  if (response.status >= 400 !== answer.status >= 400)
    return [{ says: `it was answered ${response.status}, the emulator answers ${answer.status}` }];
  const found: Told[] = [];
  if (response.status !== answer.status)
    found.push({
      says: `its status was ${response.status}, the emulator's is ${answer.status}`,
      assumption: statusAssumption(step),
    });
  if (response.status >= 400) {
    const [code, ours] = [response.body, answer.body].map((body) =>
      isRecord(body) ? body['code'] : undefined,
    );
    if (code !== ours)
      found.push({ says: `its code was ${String(code)}, the emulator's is ${String(ours)}` });
  }
  found.push(...differInShape(response.body, answer.body, Object.keys(request.body ?? {})));
  const prices = [response.body, answer.body].map((body) =>
    isRecord(body) && isRecord(body['usage']) ? body['usage']['total'] : undefined,
  );
  if (prices[0] !== prices[1])
    found.push({
      says: `it cost ${String(prices[0])}, with the emulator ${String(prices[1])}`,
      assumption: 'prices',
    });
  return found;
}

function statusAssumption(step: string): string {
  return step === 'a submit' ? 'submitStatus' : 'submitErrorStatus';
}
