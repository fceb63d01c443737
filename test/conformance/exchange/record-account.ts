import { setTimeout as sleep } from 'node:timers/promises';
import { TERMINAL_EVENTS } from '../../../src/api/events/event-types.ts';
import { isRecord } from '../../../src/api/json/is-record.ts';
import type { ModelOverrides } from '../../../src/api/models/override.ts';
import type { ModelId } from '../../../src/api/models/registry.ts';
import { TERMINAL_STATES } from '../../../src/api/records/generation-record.ts';
import { WebhookReceiver } from '../../emulator/webhooks/webhook-receiver.ts';
import { NotHere } from '../service/not-here.ts';
import { Spending } from '../service/spending.ts';
import { keptHeaders, withoutSecrets } from './cut-secrets.ts';
import { freeSteps, LAST, refusedSteps, type Step, submitStep, taskStep } from './plan.ts';
import { recordDelivery } from './record-delivery.ts';
import type { Exchange, RecordedDelivery, Recording } from './recording.ts';

export interface Account {
  /** Ends in `/api/v1`. */
  baseUrl: string;
  apiKey: string;
  overrides: ModelOverrides;
  /** Models of which one task each is bought, as far as the credits go. */
  models: readonly ModelId[];
  /** Credits that may be spent; with 0 nothing is submitted with the key. */
  mostCredits: number;
  files?: string | undefined;
  /** Where an endpoint of the account leads to on this machine, and its secret; undefined: webhooks are left out. */
  webhook?: { port: number; secret: string } | undefined;
  /** Milliseconds that a task may take. */
  patience: number;
  /** Says what is done, for a person. */
  tell: (line: string) => void;
  /** Keeps what is recorded so far, after each exchange: what was paid for is not lost with the next one. */
  save?: (recording: Recording) => Promise<void>;
}

/** For the webhook of a task that has ended, in milliseconds. */
const LONGEST_WAIT = 60_000;
/** Milliseconds between two looks at a task. */
const PAUSE = { first: 200, longest: 5_000 };

/**
 * Asks a real account what the plan asks, and writes down what it answers, without secrets.
 *
 * @throws what `fetch` throws; a look at a task that gets no answer is tried again
 */
export async function recordAccount(account: Account): Promise<Recording> {
  const exchanges: Exchange[] = [];
  const bought: string[] = [];
  await using receiver = account.webhook && (await WebhookReceiver.start(account.webhook.port));
  const spending = new Spending(account.mostCredits, account.patience);
  const recording = (): Recording => ({
    format: 1,
    recordedAt: new Date().toISOString(),
    models: account.overrides,
    exchanges,
  });
  const note = async (exchange: Exchange): Promise<void> => {
    exchanges.push(exchange);
    await account.save?.(recording());
  };
  const ask = async (step: Step): Promise<unknown> => {
    const { exchange, body } = await asked(account, step);
    await note(exchange);
    account.tell(
      `${step.step}${step.model === undefined ? '' : ` (${step.model})`}: ${exchange.response.status}`,
    );
    return body;
  };
  /** Undefined where the credits do not admit it. */
  const buy = async (step: Step): Promise<unknown> => {
    try {
      const { body } = await spending.during(async () => {
        const answer = await asked(account, step);
        await note(answer.exchange);
        account.tell(`${step.step} (${step.model}): ${answer.exchange.response.status}`);
        return answer;
      });
      return body;
    } catch (error) {
      if (!(error instanceof NotHere)) throw error;
      account.tell(`${step.step} (${step.model}): left out, ${error.message}`);
      return undefined;
    }
  };
  for (const step of freeSteps(account.overrides)) await ask(step);
  const [first] = account.models;
  for (const step of first === undefined ? [] : refusedSteps(first, account.overrides)) await buy(step);
  for (const model of account.models) {
    const answer = await buy(submitStep(model, account.overrides, account.files));
    const taskId = isRecord(answer) ? answer['id'] : undefined;
    if (typeof taskId !== 'string') continue;
    bought.push(taskId);
    await watch(taskStep(model, taskId), account, note);
  }
  const deliveries = receiver && (await deliveriesOf(bought, receiver, account));
  await ask(LAST);
  const whole = { ...recording(), ...(deliveries === undefined ? {} : { deliveries }) };
  await account.save?.(whole);
  return whole;
}

/** The webhooks of those tasks, once each has told of its end; others that come in are nobody's business here. */
async function deliveriesOf(
  taskIds: readonly string[],
  receiver: WebhookReceiver,
  { apiKey, webhook, patience, tell }: Account,
): Promise<RecordedDelivery[]> {
  const deadline = Date.now() + Math.min(patience, LONGEST_WAIT);
  const missing = (): string[] =>
    taskIds.filter((taskId) => !receiver.types(taskId).some((type) => TERMINAL_EVENTS.has(type)));
  while (missing().length > 0 && Date.now() < deadline) await sleep(PAUSE.first);
  if (missing().length > 0) tell(`of ${missing().length} tasks no webhook told of their end`);
  const found = taskIds.flatMap((taskId) => receiver.of(taskId));
  tell(`webhooks: ${found.length}`);
  return found.map((one) => recordDelivery(one, apiKey, webhook?.secret ?? ''));
}

/** Looks at a task until it has ended; each state that it is seen in is written down once. */
async function watch(
  step: Step,
  account: Account,
  note: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const deadline = Date.now() + account.patience;
  let seen: unknown;
  for (let pause = PAUSE.first; ; pause = Math.min(1.5 * pause, PAUSE.longest)) {
    try {
      const { exchange, body } = await asked(account, step);
      const status = isRecord(body) ? body['status'] : undefined;
      if (status !== seen || status === undefined) {
        await note(exchange);
        account.tell(`${step.step} (${step.model}): ${exchange.response.status} ${String(status)}`);
      }
      seen = status;
      const hasEnded = [...TERMINAL_STATES].some((one) => one === status);
      if (hasEnded || status === undefined) return;
    } catch (error) {
      account.tell(`${step.step} (${step.model}): ${String(error)}`);
    }
    if (Date.now() > deadline) return;
    await sleep(pause);
  }
}

interface Asked {
  exchange: Exchange;
  status: number;
  headers: Headers;
  /** As it came. */
  body: unknown;
}

async function asked({ baseUrl, apiKey }: Account, { step, model, request }: Step): Promise<Asked> {
  const { method, path, key, body } = request;
  const since = performance.now();
  const response = await fetch(`${baseUrl}/${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === 'none' ? {} : { authorization: `Bearer ${key === 'good' ? apiKey : 'no-such-key'}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = parsed(text);
  const exchange: Exchange = {
    step,
    ...(model === undefined ? {} : { model }),
    request,
    response: {
      status: response.status,
      headers: keptHeaders(response.headers, apiKey),
      body: withoutSecrets(answer, apiKey),
      took: Math.round(performance.now() - since),
    },
  };
  return { exchange, status: response.status, headers: response.headers, body: answer };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
