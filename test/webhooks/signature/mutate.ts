/** Random numbers that a seed repeats (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}

/** Lines that an attacker might add, or put in the place of one that is there. */
const LINES = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked',
  'transfer-encoding:\tchunked',
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: 2000000',
  'Content-Length: -1',
  'Content-Length: 0x10',
  'Content-Length: 1e3',
  'Content-Length: 99999999999999999999',
  'Content-Length: 10, 10',
  'Content-Encoding: gzip',
  'Content-Encoding: br',
  'Content-Type: text/plain',
  'Content-Type: application/json; charset=utf-16',
  'Content-Type: application/json; charset="utf-8',
  'Connection: close',
  'Connection: Upgrade\r\nUpgrade: h2c',
  'Connection: transfer-encoding',
  'Expect: 100-continue',
  'Expect: nothing',
  'Host: other',
  'webhook-id: evt_0',
  'webhook-id: ../../etc/passwd',
  'webhook-timestamp: 0',
  'webhook-timestamp: NaN',
  'webhook-timestamp: 99999999999',
  'webhook-signature: v1,',
  `webhook-signature: v1,${'A'.repeat(43)}=`,
  `webhook-signature: ${'v1,AAAA '.repeat(200)}`,
  'X-Webhook-Event-Id: evt_0',
  'X-Webhook-Event-Type: task.failed',
  `X-Webhook-Signature: v1=${'0'.repeat(64)}`,
  'X-A: \x00',
  'X-A: \xff\xfe',
  'X-A: one\r\n two',
  'X-A: one\nX-B: two',
  ': no name',
  'no colon',
  '',
  `X-Long: ${'a'.repeat(10_000)}`,
  ...Array.from({ length: 3 }, () => 'X-Many: 1\r\n'.repeat(300).trimEnd()),
];

const FIRST_LINES = [
  'GET /webhooks HTTP/1.1',
  'POST /webhooks HTTP/1.0',
  'POST /webhooks HTTP/2.0',
  'POST /webhooks HTTP/1.1 ',
  'POST  /webhooks HTTP/1.1',
  'post /webhooks HTTP/1.1',
  'POST /webhooks',
  'POST http://localhost/webhooks HTTP/1.1',
  'POST /webhooks%00 HTTP/1.1',
  'POST /webhooks/../webhooks HTTP/1.1',
  'PRI * HTTP/2.0',
  'CONNECT localhost:80 HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'TRACE /webhooks HTTP/1.1',
];

const BODIES = [
  '',
  'null',
  '[]',
  '{}',
  '{"event":1}',
  '{"event":"task.completed","prediction":{"id":{}}}',
  '{"__proto__":{"event":"ping"}}',
  '['.repeat(50_000),
  `{"event":"task.created","prediction":{"id":"t","input":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}}`,
  '\uFEFF{"event":"ping"}',
];

type Mutation = (request: Buffer, dice: Dice) => Buffer;

/** Splits a request into its lines and its body. */
function parts(request: Buffer): { lines: string[]; body: Buffer } {
  const end = request.indexOf('\r\n\r\n');
  if (end < 0) return { lines: [request.toString('latin1')], body: Buffer.alloc(0) };
  return { lines: request.toString('latin1', 0, end).split('\r\n'), body: request.subarray(end + 4) };
}

function joined(lines: readonly string[], body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

function withLines(change: (lines: string[], dice: Dice) => void): Mutation {
  return (request, dice) => {
    const { lines, body } = parts(request);
    change(lines, dice);
    return joined(lines, body);
  };
}

function spliced(request: Buffer, at: number, removed: number, inserted: Buffer): Buffer {
  return Buffer.concat([request.subarray(0, at), inserted, request.subarray(at + removed)]);
}

const MUTATIONS: readonly Mutation[] = [
  // Bytes.
  (request, dice) => spliced(request, dice.below(request.length), 1, dice.bytes(1)),
  (request, dice) => spliced(request, dice.below(request.length), 0, dice.bytes(1 + dice.below(20))),
  (request, dice) => spliced(request, dice.below(request.length), 1 + dice.below(30), Buffer.alloc(0)),
  (request, dice) => {
    const at = dice.below(request.length);
    return spliced(request, at, 0, request.subarray(at, at + 1 + dice.below(100)));
  },
  (request, dice) => request.subarray(0, dice.below(request.length)),
  (request) => Buffer.from(request.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  (_, dice) => dice.bytes(1 + dice.below(300)),
  (request) => Buffer.concat([Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]), request]),
  // Several requests in one piece.
  (request) => Buffer.concat([request, request]),
  (request, dice) => Buffer.concat([request, dice.bytes(1 + dice.below(50))]),
  // Heads.
  withLines((lines, dice) => {
    lines[0] = dice.pick(FIRST_LINES);
  }),
  withLines((lines, dice) => lines.splice(1 + dice.below(lines.length), 0, dice.pick(LINES))),
  withLines((lines, dice) => lines.splice(1 + dice.below(lines.length), 1, dice.pick(LINES))),
  withLines((lines, dice) => lines.splice(1 + dice.below(lines.length), 1)),
  withLines((lines, dice) => lines.splice(1 + dice.below(lines.length), 0, dice.pick(lines))),
  withLines((lines, dice) => {
    const at = 1 + dice.below(lines.length - 1);
    lines[at] = dice.pick([
      (line: string) => line.toUpperCase(),
      (line: string) => line.replace(': ', ':'),
      (line: string) => line.replace(': ', ' : '),
      (line: string) => `${line} `,
      (line: string) => ` ${line}`,
      (line: string) => line.replace(': ', ': \t'),
      (line: string) => line.slice(0, -1),
      (line: string) => `${line}\0`,
    ])(lines[at] ?? '');
  }),
  // Bodies, with the right length and with a wrong one, or in chunks.
  (request, dice) => {
    const body = Buffer.from(dice.pick(BODIES));
    const { lines } = parts(request);
    return joined(
      lines.map((line) => (line.startsWith('Content-Length:') ? `Content-Length: ${body.length}` : line)),
      body,
    );
  },
  (request, dice) => {
    const { lines, body } = parts(request);
    const wrong = dice.pick([body.length + dice.below(21) - 10, 2 * 1024 * 1024]);
    return joined(
      lines.map((line) => (line.startsWith('Content-Length:') ? `Content-Length: ${wrong}` : line)),
      body,
    );
  },
  (request, dice) => {
    const { lines, body } = parts(request);
    const size = dice.pick([
      body.length.toString(16),
      'zz',
      '-1',
      'FFFFFFFFFFFFFFFFF',
      `${body.length.toString(16)};a=b`,
    ]);
    const chunked = Buffer.concat([
      Buffer.from(`${size}\r\n`),
      body,
      Buffer.from(dice.pick(['\r\n0\r\n\r\n', '\r\n', ''])),
    ]);
    return joined(
      lines.map((line) => (line.startsWith('Content-Length:') ? 'Transfer-Encoding: chunked' : line)),
      chunked,
    );
  },
];

/** Changes a request in one to three ways. */
export function mutate(request: Buffer, dice: Dice): Buffer {
  let mutated = request;
  for (let i = dice.below(3); i >= 0; i--) {
    if (mutated.length > 0) mutated = dice.pick(MUTATIONS)(mutated, dice);
  }
  return mutated;
}

/** Cuts bytes into one to four pieces. */
export function pieces(bytes: Buffer, dice: Dice): Buffer[] {
  const cuts = Array.from({ length: dice.below(4) }, () => dice.below(bytes.length + 1)).toSorted(
    (a, b) => a - b,
  );
  return [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length));
}
