import { randomUUID } from 'node:crypto';
import { type Finding, failure, ok, warning } from '../../contract/finding.ts';
import { RECEIVER_CHECK, type ReceiverCheckAnswer } from '../../contract/receiver-check.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { signedHeaders } from '../../webhooks/signature/sign.ts';

const TIMEOUT = 10_000;
/** Bytes of the second delivery: some senders' events are as large, and a proxy may refuse those alone. */
const LARGE = 100_000;
/** So many ends of tasks without any `task.created` show that nobody sends it. */
const ENOUGH_ENDS = 3;

/** Where webhooks of a workspace go, and what they are signed with. */
export interface ReceiverToCheck {
  /** Without the workspace: ends in `/webhooks`. */
  url: string;
  /** Whether somebody named that address: otherwise nothing has to be there. */
  isNamed: boolean;
  workspace: string;
  secret: string;
}

/**
 * Sends two signed deliveries to a receiver: a plain one, and one of odd characters and spacing, which comes unharmed
 * only where nothing on the way reads and writes bodies anew.
 */
export async function checkReceiver(receiver: ReceiverToCheck): Promise<Finding[]> {
  const { workspace, isNamed } = receiver;
  const check = `receiver of workspace ${workspace}`;
  const url =
    workspace === DEFAULT_WORKSPACE ? receiver.url : `${receiver.url}/${encodeURIComponent(workspace)}`;
  const plain = await deliver(url, receiver.secret, plainBody);
  if (plain.kind === 'unreachable')
    return isNamed
      ? [
          failure(
            check,
            `${url} cannot be reached: ${plain.reason}`,
            'Check the address, the proxy before the receiver, its certificate, and that a receiver runs.',
          ),
        ]
      : [ok(check, `Not checked: none is at ${url}. Name its address with --webhook-url.`)];
  if (plain.kind === 'answered') return [failure(check, ...refusal(url, plain.status))];
  const odd = await deliver(url, receiver.secret, oddBody);
  return [
    odd.kind === 'checked'
      ? ok(check, `${url} takes signed deliveries unaltered.`)
      : altered(check, url, odd),
    subscribed(workspace, plain.answer),
  ];
}

type Delivered =
  | { kind: 'checked'; answer: ReceiverCheckAnswer }
  | { kind: 'answered'; status: number }
  | { kind: 'unreachable'; reason: string };

async function deliver(url: string, secret: string, bodyOf: (nonce: string) => string): Promise<Delivered> {
  const nonce = randomUUID();
  const body = bodyOf(nonce);
  const headers = signedHeaders([secret], { id: `check_${nonce}`, body, at: Date.now() });
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const told = answer.status === 200 ? await answer.json().catch(() => undefined) : undefined;
    return isAnswer(told) && told.nonce === nonce
      ? { kind: 'checked', answer: told }
      : { kind: 'answered', status: answer.status };
  } catch (error) {
    const { cause } = error instanceof Error ? error : {};
    const reason =
      cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : '') : String(error);
    return { kind: 'unreachable', reason };
  }
}

function plainBody(nonce: string): string {
  return JSON.stringify({ event: RECEIVER_CHECK, nonce });
}

/** The same to any reader of JSON; other bytes from any writer of it. */
function oddBody(nonce: string): string {
  const filler = 'ä'.repeat(LARGE / 2);
  return `{ "nonce":"${nonce}",\r\n\t"event" : "${RECEIVER_CHECK}", "number": 1.50e2, "text": "\\u00e9 é \\/ ${filler}" }\n`;
}

function isAnswer(value: unknown): value is ReceiverCheckAnswer {
  return typeof value === 'object' && value !== null && 'nonce' in value && 'events' in value;
}

/** What an answer means that is no receiver's answer to a check, and what to do. */
function refusal(url: string, status: number): [message: string, fix: string] {
  const answers = `${url} answers ${status}`;
  if (status === 401)
    return [
      `${answers}: it takes no signature of this secret.`,
      'Give the receivers the same secrets as are set here; or stop what alters bodies, signature headers or times on the way, and synchronise the clocks.',
    ];
  if (status === 404)
    return [
      `${answers}: there is no receiver of this workspace.`,
      'Correct the path in the proxy, or configure the workspace for the receivers.',
    ];
  if (status >= 300 && status < 400)
    return [
      `${answers}: the API does not follow redirects.`,
      'Name the address that the redirect leads to, at the API, too.',
    ];
  if (status === 503)
    return [`${answers}: the receiver cannot take events now.`, 'See its log: mostly Temporal is away.'];
  return [
    `${answers}, not as a receiver of this version does.`,
    'Have the proxy pass POSTs to /webhooks to the receiver, and deploy receivers of this version.',
  ];
}

function altered(check: string, url: string, odd: Exclude<Delivered, { kind: 'checked' }>): Finding {
  if (odd.kind === 'answered' && odd.status === 401)
    return failure(
      check,
      `Something before ${url} alters bodies: a plain delivery arrives, one of odd spacing is refused for its signature.`,
      'Have the proxy pass bodies as they are: no parsing, no transformation of JSON or of characters.',
    );
  const what = odd.kind === 'answered' ? `answers ${odd.status}` : odd.reason;
  return failure(
    check,
    `${url} does not take a delivery of ${LARGE / 1_000} kB: ${what}.`,
    'Allow bodies of 1 MB in the proxy before the receiver.',
  );
}

function subscribed(workspace: string, { events }: ReceiverCheckAnswer): Finding {
  const check = `events of workspace ${workspace}`;
  const { total, created, ended, lastAt } = events;
  if (created === 0 && ended >= ENOUGH_ENDS)
    return warning(
      check,
      `${ended} tasks have ended since the receiver started, and no task.created has come: lost submits cannot be found by it.`,
      "Subscribe the endpoint to task.created in the API's dashboard.",
    );
  return ok(
    check,
    total === 0
      ? 'None has come since the receiver started.'
      : `${total} have come since the receiver started, ${created} of them task.created; the last one at ${lastAt}.`,
  );
}
