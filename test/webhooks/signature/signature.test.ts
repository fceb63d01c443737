import { createSecretKey } from 'node:crypto';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  isSameSecret,
  parseSecret,
  UnusableSecretError,
  type WebhookSecret,
  whyGuessable,
} from '../../../src/webhooks/signature/secrets.ts';
import { readSignatureHeaders } from '../../../src/webhooks/signature/signature-headers.ts';
import { type VerifyOptions, verify } from '../../../src/webhooks/signature/verify.ts';
import {
  delivery,
  legacyHeaders,
  legacySignature,
  OTHER_SECRET,
  SECRET,
  type SignedDelivery,
  standardHeaders,
  standardSignature,
} from '../signed-delivery.ts';

const NOW = 1_700_000_000_000;
const AT = '1700000000';
const BODY = Buffer.from('{"event":"task.completed","prediction":{"id":"t1"}}');
const DELIVERY: SignedDelivery = { id: 'evt_1', timestamp: AT, body: BODY, secret: SECRET };
const SECRETS = [parseSecret(SECRET)];

interface Judging extends VerifyOptions {
  body: Buffer;
  secrets: readonly WebhookSecret[];
  now: number;
}

/** What `verify` says of headers, given as an object or (for repeats) as pairs. */
function judge(
  headers: Record<string, string> | [string, string][],
  { body = BODY, secrets = SECRETS, now = NOW, ...options }: Partial<Judging> = {},
): string {
  const raw = (Array.isArray(headers) ? headers : Object.entries(headers)).flat();
  const verified = verify(readSignatureHeaders(raw), body, secrets, now, { legacy: 'refuse', ...options });
  return verified.ok ? verified.generation : verified.reason;
}

describe('the published vectors', () => {
  // Of the Standard Webhooks libraries, and of the documentation of Svix, whose scheme the standard took over.
  it.each([
    {
      key: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: '1614265330',
      body: '{"test": 2432232314}',
      signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    {
      key: 'plJ3nmyCDGBKInavdOK15jsl',
      id: 'msg_loFOjxBNrRLzqYUf',
      timestamp: '1731705121',
      body: '{"event_type":"ping","data":{"success":true}}',
      signature: 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    },
  ])('verify: $id', ({ key, id, timestamp, body, signature }) => {
    // The second one's key is shorter than the standard allows today, so it cannot come through `parseSecret`.
    const secret: WebhookSecret = { standard: createSecretKey(Buffer.from(key, 'base64')), legacy: [] };
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    const at = { secrets: [secret], now: Number(timestamp) * 1000 };
    expect(judge(headers, { ...at, body: Buffer.from(body) })).toBe('standard');
    expect(judge(headers, { ...at, body: Buffer.from(`${body} `) })).toBe('mismatch');
  });

  it('of several signatures, any one suffices, and unknown versions are passed over', () => {
    const wrong = 'Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';
    const signature = `v1,${wrong} v2,${wrong} ${standardSignature(DELIVERY)} v1a,${wrong}`;
    expect(judge({ ...standardHeaders(DELIVERY), 'webhook-signature': signature })).toBe('standard');
    expect(judge({ ...standardHeaders(DELIVERY), 'webhook-signature': `v1,${wrong} v2,${wrong}` })).toBe(
      'mismatch',
    );
  });
});

describe('a standard signature', () => {
  const good = standardHeaders(DELIVERY);
  const signature = good['webhook-signature'] ?? '';

  it.each<[what: string, change: Record<string, string | undefined>, reason: string]>([
    ['without an id', { 'webhook-id': undefined }, 'missing'],
    ['without a timestamp', { 'webhook-timestamp': undefined }, 'missing'],
    ['without a signature', { 'webhook-signature': undefined }, 'missing'],
    ['with an empty id', { 'webhook-id': '' }, 'unusual-id'],
    ['with a dot in the id', { 'webhook-id': 'evt.1' }, 'unusual-id'],
    ['with a space in the id', { 'webhook-id': 'evt 1' }, 'unusual-id'],
    ['with an umlaut in the id', { 'webhook-id': 'evt_ü' }, 'unusual-id'],
    ['with an endless id', { 'webhook-id': 'e'.repeat(129) }, 'unusual-id'],
    ['with letters after the timestamp', { 'webhook-timestamp': `${AT}junk` }, 'malformed'],
    ['with a sign before the timestamp', { 'webhook-timestamp': `+${AT}` }, 'malformed'],
    ['with a zero before the timestamp', { 'webhook-timestamp': `0${AT}` }, 'malformed'],
    ['with a fraction in the timestamp', { 'webhook-timestamp': `${AT}.5` }, 'malformed'],
    ['with a timestamp in hexadecimal', { 'webhook-timestamp': '0x6553F100' }, 'malformed'],
    ['with a timestamp in milliseconds', { 'webhook-timestamp': `${AT}000` }, 'malformed'],
    ['with a letter after the timestamp', { 'webhook-timestamp': `${AT}j` }, 'malformed'],
    ['with a timestamp of eleven digits', { 'webhook-timestamp': '17000000000' }, 'future'],
    ['with an empty timestamp', { 'webhook-timestamp': '' }, 'malformed'],
    ['with an empty signature', { 'webhook-signature': '' }, 'malformed'],
    ['with a version only', { 'webhook-signature': 'v1,' }, 'malformed'],
    ['cut short', { 'webhook-signature': signature.slice(0, 12) }, 'malformed'],
    ['without its version', { 'webhook-signature': signature.slice(3) }, 'malformed'],
    ['in hexadecimal', { 'webhook-signature': `v1,${Buffer.alloc(32, 1).toString('hex')}` }, 'malformed'],
    ['with an umlaut in it', { 'webhook-signature': signature.replace(/.=$/, 'ü=') }, 'malformed'],
    ['beside a malformed one, wrong', { 'webhook-signature': `v1,${'A'.repeat(43)}= v1,x` }, 'malformed'],
    [
      'with bits that base64 does not use',
      { 'webhook-signature': signature.replace(/.=$/, '/=') },
      'mismatch',
    ],
    ['beside a malformed one', { 'webhook-signature': `${signature} v1,x` }, 'malformed'],
    ['with two spaces between two', { 'webhook-signature': `${signature}  ${signature}` }, 'malformed'],
    ['with a comma between two', { 'webhook-signature': `${signature}, ${signature}` }, 'malformed'],
    ['among very many', { 'webhook-signature': Array(9).fill(signature).join(' ') }, 'malformed'],
    ['of another version', { 'webhook-signature': signature.replace('v1', 'v2') }, 'mismatch'],
    ['of another id', { 'webhook-id': 'evt_2' }, 'mismatch'],
    ['of another second', { 'webhook-timestamp': '1700000001' }, 'mismatch'],
  ])('%s is refused', (_what, change, reason) => {
    const headers = Object.entries({ ...good, ...change }).filter(([, value]) => value !== undefined);
    expect(judge(headers as [string, string][])).toBe(reason); // the undefined ones were dropped
  });

  it.each([
    ['v12,AAAA', true],
    ['v123z,AAAA', true],
    ['v2,AA==', true],
    ['v1234,AAAA', false],
    ['xv2,AAAA', false],
    ['v2,AAAA!', false],
    ['v2,AAAA===', false],
    [`v1,${signature}`, false],
    [`${signature}=`, false],
  ])('beside %s: whether that one is well-formed decides (%j)', (other, isWellFormed) => {
    const headers = { ...good, 'webhook-signature': `${other} ${signature}` };
    expect(judge(headers)).toBe(isWellFormed ? 'standard' : 'malformed');
  });

  it('may be one of eight, and of a second of any digits', () => {
    expect(judge({ ...good, 'webhook-signature': Array(8).fill(signature).join(' ') })).toBe('standard');
    const at = { ...DELIVERY, timestamp: '1698765432' };
    expect(judge(standardHeaders(at), { now: 1_698_765_432_000 })).toBe('standard');
  });

  it('stands among other headers, whatever they are and how often', () => {
    const others = ['Host', 'X-Request-Id', 'x-request-id', 'Webhook-Other', 'www-x', 'X-Webhook'];
    const pairs = others.map((name): [string, string] => [name, 'some value']);
    expect(judge([...pairs, ...Object.entries(good), ...pairs])).toBe('standard');
  });

  it.each(Object.keys(good))('is refused when %s stands there twice, even with the same value', (name) => {
    const pairs = Object.entries(good);
    expect(judge([...pairs, [name.toUpperCase(), good[name] ?? '']])).toBe('repeated');
    expect(judge([[name, ''], ...pairs])).toBe('repeated');
  });

  it('holds for 5 minutes either way, to the second', () => {
    expect(judge(good, { now: NOW + 300_999 })).toBe('standard');
    expect(judge(good, { now: NOW + 301_000 })).toBe('stale');
    expect(judge(good, { now: NOW - 300_000 })).toBe('standard');
    expect(judge(good, { now: NOW - 300_001 })).toBe('future');
  });

  it('is about every byte of the body, whatever bytes these are', () => {
    const body = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
    expect(judge(standardHeaders({ ...DELIVERY, body }), { body })).toBe('standard');
    expect(judge(standardHeaders({ ...DELIVERY, body }), { body: Buffer.from(body.toString('utf8')) })).toBe(
      'mismatch',
    );
  });

  it('is found whatever the case of the header names', () => {
    const shouted = Object.entries(good).map(([name, value]): [string, string] => [
      name.toUpperCase(),
      value,
    ]);
    expect(judge(shouted)).toBe('standard');
  });

  it('may be by any active secret, and by no other', () => {
    const rotating = [parseSecret(OTHER_SECRET), parseSecret(SECRET)];
    expect(judge(good, { secrets: rotating })).toBe('standard');
    expect(judge(good, { secrets: rotating.slice(0, 1) })).toBe('mismatch');
    expect(judge(good, { secrets: [] })).toBe('mismatch');
  });
});

describe('a legacy signature beside a standard one', () => {
  const both = { ...standardHeaders(DELIVERY), ...legacyHeaders(DELIVERY, 'task.completed') };

  it('is judged too', () => {
    expect(judge(both)).toBe('standard');
    const hex = 'ab'.repeat(32);
    for (const signature of [`v1=${hex}`, `v1=${hex}00`, 'v1=']) {
      expect(judge({ ...both, 'X-Webhook-Signature': signature })).toBe('legacy-disagreeing');
    }
  });

  it('does not save a wrong standard one', () => {
    const headers = { ...both, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` };
    expect(judge(headers, { legacy: 'accept' })).toBe('mismatch');
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    for (const missing of [
      ...names.map((name) => [name]),
      ...names.map((name) => names.filter((other) => other !== name)),
    ]) {
      const left = Object.entries(both).filter(([name]) => !missing.includes(name));
      expect(judge(left, { legacy: 'accept' })).toBe('missing');
    }
  });

  it('has copies of id and timestamp that must agree', () => {
    expect(judge({ ...both, 'X-Webhook-Event-Id': 'evt_2' })).toBe('legacy-disagreeing');
    expect(judge({ ...both, 'X-Webhook-Timestamp': `${AT} ` })).toBe('legacy-disagreeing');
    expect(judge({ ...standardHeaders(DELIVERY), 'X-Webhook-Event-Id': 'evt_2' })).toBe('legacy-disagreeing');
    const { 'X-Webhook-Timestamp': _, ...without } = both;
    expect(judge(without)).toBe('legacy-disagreeing');
  });

  it('may be by a secret that is not active here yet, while the sender rotates', () => {
    const rotated = { ...DELIVERY, secret: OTHER_SECRET };
    const headers = { ...both, 'X-Webhook-Signature': legacySignature(rotated) };
    expect(judge(headers)).toBe('legacy-disagreeing');
    const signatures = `${standardSignature(rotated)} ${standardSignature(DELIVERY)}`;
    expect(judge({ ...headers, 'webhook-signature': signatures })).toBe('standard');
    // A second signature of another version says nothing about secrets.
    const versions = `${standardSignature(DELIVERY)} v2,AAAA`;
    expect(judge({ ...headers, 'webhook-signature': versions })).toBe('legacy-disagreeing');
  });

  it('comes with the type of the event, which is told as it stands there', () => {
    const told = (given: Record<string, string>, options: Partial<VerifyOptions> = {}) => {
      const headers = readSignatureHeaders(Object.entries(given).flat());
      const verified = verify(headers, BODY, SECRETS, NOW, { legacy: 'accept', ...options });
      return verified.ok ? [verified.eventType, verified.webhookId, verified.timestamp] : verified.reason;
    };
    expect(told(both)).toEqual(['task.completed', 'evt_1', 1_700_000_000]);
    expect(told(legacyHeaders(DELIVERY, 'task.failed'))).toEqual(['task.failed', 'evt_1', 1_700_000_000]);
    expect(told(both, { legacyHeaders: 'ignore' })).toEqual([undefined, 'evt_1', 1_700_000_000]);
  });
});

describe('relaxed rules', () => {
  const unusual = { ...DELIVERY, id: 'evt.1/2026+x' };

  it('take ids of any visible characters, up to a length', () => {
    const any = { ids: 'any' } as const;
    expect(judge(standardHeaders(unusual))).toBe('unusual-id');
    expect(judge(standardHeaders(unusual), any)).toBe('standard');
    expect(judge(legacyHeaders(unusual), { ...any, legacy: 'accept' })).toBe('legacy');
    for (const id of ['', 'evt 1', 'evt_ü', 'e'.repeat(513)]) {
      expect(judge(standardHeaders({ ...DELIVERY, id }), any)).toBe('unusual-id');
    }
    expect(judge({ ...standardHeaders(unusual), 'webhook-id': 'evt.2' }, any)).toBe('mismatch');
  });

  it('do not look at legacy headers beside a standard signature, and at everything else as ever', () => {
    const ignore = { legacyHeaders: 'ignore' } as const;
    const other = { ...DELIVERY, id: 'evt_2', timestamp: '1700000001', secret: OTHER_SECRET };
    const headers = { ...standardHeaders(DELIVERY), ...legacyHeaders(other, 'task.failed') };
    expect(judge(headers)).toBe('legacy-disagreeing');
    expect(judge(headers, ignore)).toBe('standard');
    expect(judge({ ...headers, 'webhook-id': 'evt_2' }, ignore)).toBe('mismatch');
    expect(judge(legacyHeaders(DELIVERY), ignore)).toBe('legacy-only');
  });

  it('take short secrets, but nothing that is no secret', () => {
    const weak = { ...DELIVERY, secret: 'whsec_c2hvcnQ=' };
    expect(judge(standardHeaders(weak), { secrets: [parseSecret(weak.secret, 'any')] })).toBe('standard');
    for (const text of ['', 'whsec_', 'no base64!'])
      expect(() => parseSecret(text, 'any')).toThrow('the secret is');
  });
});

describe('a legacy signature alone', () => {
  const legacy = legacyHeaders(DELIVERY);
  const accept = { legacy: 'accept' } as const;

  it('is accepted only where the workspace says so', () => {
    expect(judge(legacy)).toBe('legacy-only');
    expect(judge(legacy, accept)).toBe('legacy');
    expect(judge({}, accept)).toBe('missing');
  });

  it.each(['X-Webhook-Signature', 'X-Webhook-Timestamp', 'X-Webhook-Event-Id'])('needs %s', (name) => {
    const left = Object.entries(legacy).filter(([other]) => other !== name);
    expect(judge(left, accept)).toBe('missing');
    expect(judge(left)).toBe('missing');
  });

  it('is keyed by the secret as it is written, with or without its prefix', () => {
    const bare = { ...DELIVERY, secret: SECRET.replace('whsec_', '') };
    expect(judge(legacyHeaders(bare), accept)).toBe('legacy');
    expect(judge(legacyHeaders(DELIVERY), { ...accept, secrets: [parseSecret(bare.secret)] })).toBe('legacy');
    expect(judge(legacyHeaders({ ...DELIVERY, secret: OTHER_SECRET }), accept)).toBe('mismatch');
  });

  it.each<[string, Record<string, string>, string]>([
    ['an unusual id', { 'X-Webhook-Event-Id': 'evt.1' }, 'unusual-id'],
    ['a malformed timestamp', { 'X-Webhook-Timestamp': `${AT}junk` }, 'malformed'],
    ['another timestamp', { 'X-Webhook-Timestamp': '1700000001' }, 'mismatch'],
    ['an old timestamp', { 'X-Webhook-Timestamp': '1600000000' }, 'stale'],
    ['a signature that is too long', { 'X-Webhook-Signature': `v1=${'ab'.repeat(33)}` }, 'malformed'],
    ['something before the signature', { 'X-Webhook-Signature': `xv1=${'ab'.repeat(32)}` }, 'malformed'],
    ['a signature in base64', { 'X-Webhook-Signature': `v1=${'A'.repeat(43)}=` }, 'malformed'],
  ])('with %s is refused', (_what, change, reason) => {
    expect(judge({ ...legacy, ...change }, accept)).toBe(reason);
  });
});

describe('secrets', () => {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

  it('may do without the prefix and without padding', () => {
    for (const length of [24, 25, 26]) {
      const bare = base64(Uint8Array.from({ length }, (_, i) => i * i + length));
      const secret = `whsec_${bare}`;
      for (const text of [secret, bare, bare.replace(/=+$/, '')]) {
        const headers = standardHeaders({ ...DELIVERY, secret });
        expect(judge(headers, { secrets: [parseSecret(text)] })).toBe('standard');
        expect(isSameSecret(text, secret) && isSameSecret(secret, text)).toBe(true);
        expect(isSameSecret(text, SECRET)).toBe(false);
      }
    }
  });

  it.each([
    ['eight different bytes', Uint8Array.from({ length: 24 }, (_, i) => ((i * (i + 1)) / 2) % 8)],
    ['24 bytes twice', Uint8Array.from({ length: 48 }, (_, i) => ((i % 24) * 37) ^ 5)],
    ['a beginning that is also its end', Uint8Array.from({ length: 32 }, (_, i) => ((i % 20) * 37) ^ 5)],
  ])('may have %s', (_what, key) => {
    expect(() => parseSecret(base64(key))).not.toThrow();
    expect(whyGuessable(base64(key))).toBeUndefined();
  });

  it.each([
    [base64(Buffer.alloc(32)), 'different bytes'],
    [base64(Buffer.from('abcdefghi'.repeat(4))), 'repeats itself after 9 bytes'],
    [base64(Buffer.from('a quick brown fox ju'.repeat(2))), 'repeats itself after 20 bytes'],
    [base64(Uint8Array.from({ length: 32 }, (_, i) => 3 * i + 5)), 'plain sequence'],
  ])('like %j can be guessed, and are taken all the same: the API has made them', (text, reason) => {
    expect(() => parseSecret(text)).not.toThrow();
    expect(whyGuessable(text)).toContain(reason);
  });

  it.each([
    ['', 'is empty'],
    ['whsec_', 'is empty'],
    ['whsec_not base64!', 'is not base64'],
    ['whsec_not-base64!', 'is not base64'],
    ['whsec_!not-base64', 'is not base64'],
    ['whsec_whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64url'],
    ['whsec_d0DbLTqcYOhrgwVSTAXTTMpYR7Umxz7pHLnBdXUy-_k=', 'base64url'],
    ['whsec_plJ3nmyCDGBKInavdOK15jsl', 'has 18 bytes; at least 24'],
  ])('like %j are refused with the reason, and the message does not tell them', (text, reason) => {
    let thrown: unknown;
    try {
      parseSecret(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UnusableSecretError);
    const message = String(thrown);
    expect(message).toContain('UnusableSecretError: the secret ');
    expect(message).toContain(reason);
    // Only what is short could be taken all the same.
    const isWeak = !['is empty', 'is not base64', 'base64url'].includes(reason);
    expect(thrown).toMatchObject({ isWeak });
    expect(message).not.toContain(text.slice(6) || 'whsec_');
  });

  it('do not show when they are printed or serialized', () => {
    const secret = parseSecret(SECRET);
    const shown = `${JSON.stringify(secret)} ${inspect(secret, { depth: 9, showHidden: true })}`;
    expect(shown).not.toContain(SECRET.slice(6, 20));
    expect(JSON.stringify(secret.standard)).toBe('{}');
  });
});

describe('against other implementations', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9_:-]{1,128}$/);
  const text = fc.string({ unit: 'binary', maxLength: 3000 });
  const key = fc.uint8Array({ minLength: 24, maxLength: 80 });

  it('what the standardwebhooks package signs is accepted', () => {
    fc.assert(
      fc.property(key, id, text, (key, id, text) => {
        const secret: WebhookSecret = { standard: createSecretKey(key), legacy: [] };
        const signature = new Webhook(key, { format: 'raw' }).sign(id, new Date(NOW), text);
        const headers = { 'webhook-id': id, 'webhook-timestamp': AT, 'webhook-signature': signature };
        expect(judge(headers, { secrets: [secret], body: Buffer.from(text) })).toBe('standard');
      }),
    );
  });

  it('what is accepted after any change, the standardwebhooks package accepts as well', () => {
    const webhook = new Webhook(SECRET);
    const now = Date.now();
    const fresh = delivery(BODY, { id: 'evt_1' });
    const entries = Object.entries(standardHeaders(fresh));
    const change = fc.record({
      header: fc.nat(entries.length - 1),
      at: fc.nat(60),
      remove: fc.nat(3),
      insert: fc.string({ maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), (changes) => {
        const pairs = entries.map(([name, value]): [string, string] => [name, value]);
        for (const { header, at, remove, insert } of changes) {
          const pair = pairs[header];
          if (pair !== undefined) pair[1] = pair[1].slice(0, at) + insert + pair[1].slice(at + remove);
        }
        if (judge(pairs, { now }) !== 'standard') return;
        expect(() => webhook.verify(BODY, Object.fromEntries(pairs))).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});
