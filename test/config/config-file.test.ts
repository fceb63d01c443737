import { describe, expect, test } from 'vitest';
import { loadClientConfig } from '../../src/config/client-config.ts';
import { loadConfig } from '../../src/config/worker-config.ts';
import { complaints, file, MINIMAL, OTHER_SECRET, SECRET } from './complaints.ts';

/** What is said of a file for DARKROOM_CONFIG, without the file's own name. */
function ofFile(content: unknown, env: NodeJS.ProcessEnv = {}): string[] {
  const path = file(content);
  return complaints({ ...MINIMAL, ...env, DARKROOM_CONFIG: path }).map((line) =>
    line.replace(` (${path})`, ''),
  );
}

const NAME = 'must be named with letters, digits, . _ and -, at most 64 of them';
const WORKSPACES =
  '; example: { "workspaces": { "studio": { "apiKey": "<key>", "webhookSecret": "whsec_<base64>" } } }';
const CAPS = '; example: { "caps": [{ "name": "all", "per": "day", "credits": 500, "then": "fail" }] }';
const MODELS =
  '; example: { "models": { "image-l": { "path": "generation/<provider>/<model>", "passUnknown": true } } }';
const CALLBACKS = '; example: { "callbacks": ["https://hooks.example.com/"] }';
const WEBHOOK = '; example: { "webhook": { "maxBodyBytes": 1048576 } }';
const POLICY = '; example: { "policy": { "deadline": "20m", "reconcile": { "otherwise": "ask" } } }';
/** A cap that does so when it is passed. */
// oxlint-disable-next-line unicorn/no-thenable -- the file's word
const capThat = (then: string) => ({ name: 'all', per: 'day', credits: 5, then });
const cap = capThat('fail');

/** Each file, and what is said of it. */
const WRONG: readonly (readonly [content: object, wrong: unknown])[] = [
  [{ webhook: { maxBodyBytes: 1_023 } }, `webhook.maxBodyBytes must be at least 1024${WEBHOOK}`],
  [{ webhook: { maxBodyBytes: 67_108_865 } }, `webhook.maxBodyBytes must be at most 67108864${WEBHOOK}`],
  [{ webhook: { maxBodyBytes: 'x' } }, `webhook.maxBodyBytes must be a number${WEBHOOK}`],
  [{ webhook: { maxBodyBytes: 2_000.5 } }, `webhook.maxBodyBytes must be an integer${WEBHOOK}`],
  [{ webhook: { rememberedIds: 999 } }, `webhook.rememberedIds must be at least 1000${WEBHOOK}`],
  [{ webhook: { rememberedIds: 10_000_001 } }, `webhook.rememberedIds must be at most 10000000${WEBHOOK}`],
  [
    { webhook: { maxbodybytes: 1 } },
    `webhook has an unknown field maxbodybytes (did you mean maxBodyBytes?); known: maxBodyBytes, rememberedIds${WEBHOOK}`,
  ],
  [
    { zzzzzzzzzz: 1, xxxxxxxxxx: 2 },
    `the file has an unknown field zzzzzzzzzz, has an unknown field xxxxxxxxxx; known: workspaces, models, templateField, policy, caps, callbacks, webhook${POLICY}`,
  ],
  [{ callbacks: 'x' }, `callbacks must be a list${CALLBACKS}`],
  [
    { callbacks: ['https://a.example/?x=1'] },
    `callbacks.0 must be an http(s) URL without a query${CALLBACKS}`,
  ],
  [{ callbacks: ['https://a.example/#x'] }, `callbacks.0 must be an http(s) URL without a query${CALLBACKS}`],
  [{ callbacks: ['a.example'] }, `callbacks.0 must be an http(s) URL without a query${CALLBACKS}`],
  [
    { callbacks: Array.from({ length: 101 }, (_, i) => `https://a.example/${i}`) },
    `callbacks must be at most 100${CALLBACKS}`,
  ],
  [
    { models: { 'image-l': { pathh: 'x' } } },
    expect.stringMatching(
      /known: path, fields, passUnknown, assumedRules, templateField, multipart; example/,
    ),
  ],
  [{ models: 5 }, `models must be an object${MODELS}`],
  [{ workspaces: 5 }, `workspaces must be an object${WORKSPACES}`],
  [{ templateField: 5 }, 'templateField must be a string; example: { "templateField": "template_id" }'],
  [
    { caps: [{ ...cap, name: '-x' }] },
    `caps.0.name must be of letters, digits, . _ and -, at most 64 of them${CAPS}`,
  ],
  [{ caps: [{ ...cap, name: 'x'.repeat(65) }] }, expect.stringMatching(/^caps\.0\.name must be of letters/)],
  [{ caps: [cap, cap] }, `caps.1.name is the name of another cap${CAPS}`],
  [{ caps: [{ ...cap, credits: -1 }] }, `caps.0.credits must be at least 0${CAPS}`],
  [
    { caps: [{ ...cap, credits: Number.MAX_SAFE_INTEGER }] },
    `caps.0.credits must be at most 1000000000000000${CAPS}`,
  ],
  [{ caps: [capThat('stop')] }, `caps.0.then must be "warn" or "wait" or "fail"${CAPS}`],
  [
    { caps: [{ ...cap, model: 'image-1' }] },
    expect.stringMatching(/^caps\.0\.model image-1 is not a model; did you mean image-l\? Models: /),
  ],
  [
    { caps: [{ ...cap, tag: { team: 'a b' } }] },
    `caps.0.tag.team must be 1 to 64 letters, digits, dots, underscores, hyphens or colons${CAPS}`,
  ],
  [
    { caps: [{ ...cap, tag: Object.fromEntries('abcdefghi'.split('').map((name) => [name, 'x'])) }] },
    `caps.0.tag must name at most 8 tags${CAPS}`,
  ],
  [
    { caps: [{ ...cap, credit: 5 }] },
    `caps.0 has an unknown field credit (did you mean credits?); known: name, workspace, model, tag, per, credits, then${CAPS}`,
  ],
  [
    { caps: [{ ...cap, workspace: 'studoi' }], workspaces: { studio: { apiKey: 'k' } } },
    `caps.0.workspace studoi is not configured (did you mean studio?)${CAPS}`,
  ],
  [
    { caps: [cap, { ...cap, name: 'b', workspace: 'films' }] },
    `caps.1.workspace films is not configured; known: default${CAPS}`,
  ],
  [
    { caps: [{ ...cap, workspace: 'films' }], workspaces: { studio: { apiKey: 'k' } } },
    `caps.0.workspace films is not configured; known: studio, default${CAPS}`,
  ],
  [
    { caps: Array.from({ length: 101 }, (_, i) => ({ ...cap, name: `c${i}` })) },
    `caps must be at most 100${CAPS}`,
  ],
  [
    { workspaces: { ['x'.repeat(65)]: { apiKey: 'k' } } },
    expect.stringMatching(new RegExp(`^workspaces\\.x+… ${NAME}`)),
  ],
  [
    { workspaces: { a: { apiKey: 'two words' } } },
    expect.stringMatching(/^workspaces\.a\.apiKey holds a space/),
  ],
  [
    { workspaces: { a: { apiKey: 'k', webhookSecret: 'no base64!' } } },
    `workspaces.a.webhookSecret cannot be used: the secret is not base64${WORKSPACES}`,
  ],
  [
    { workspaces: { a: { apiKey: 'k', webhookSecret: SECRET, webhookSecrets: [OTHER_SECRET] } } },
    `workspaces.a has both webhookSecret and webhookSecrets; write one of them${WORKSPACES}`,
  ],
  [
    { workspaces: { a: { apiKey: 'k', headers: { 'x-a': 'é' } } } },
    `workspaces.a.headers.x-a must be 1 to 200 visible characters${WORKSPACES}`,
  ],
  [
    { workspaces: { a: { apiKey: 'k', headers: { 'x-a': 'v'.repeat(201) } } } },
    `workspaces.a.headers.x-a must be 1 to 200 visible characters${WORKSPACES}`,
  ],
  [
    {
      workspaces: {
        a: {
          apiKey: 'k',
          headers: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`x-${i}`, 'v'])),
        },
      },
    },
    `workspaces.a.headers must be at most 10${WORKSPACES}`,
  ],
  [{ workspaces: { a: { webhookSecret: SECRET } } }, `workspaces.a has no apiKey${WORKSPACES}`],
  [
    { workspaces: { a: { apiKey: 'k', colour: 1 } } },
    `workspaces.a has an unknown field colour; known: apiKey, headers, webhookSecret, webhookSecrets, legacy, webhook${WORKSPACES}`,
  ],
  [
    { workspaces: { a: { apiKey: 'sk-live-1' } } },
    `has the same apiKey for workspaces.a and workspaces.default; each needs one of its own (DARKROOM_API_KEY and DARKROOM_WEBHOOK_SECRET are those of default)${WORKSPACES}`,
  ],
  [
    { workspaces: { a: { apiKey: 'k' }, b: { apiKey: 'k' } } },
    `has the same apiKey for workspaces.a and workspaces.b; each needs one of its own${WORKSPACES}`,
  ],
  [
    { policy: { reconcile: { otherwise: 'resubmit' } } },
    expect.stringMatching(
      /^policy\.reconcile\.otherwise must be "ask" or "fail": workspace default has no webhook secret.*"policy": \{ "deadline"/,
    ),
  ],
];

describe("DARKROOM_CONFIG's file, where it is wrong", () => {
  test.each(
    WRONG.map(([content, wrong]) => ({ title: JSON.stringify(content).slice(0, 70), content, wrong })),
  )('$title', ({ content, wrong }) => {
    const [line = '', ...more] = ofFile(content);
    expect(more).toEqual([]);
    const said = line.replace('DARKROOM_CONFIG ', '');
    expect(said).toEqual(wrong);
  });

  test('is read where it says no more than a schema for editors, or nothing', () => {
    expect(ofFile({ $schema: './darkroom.schema.json' })).toEqual([]);
    expect(ofFile({})).toEqual([]);
  });

  test('a file that is not there, and one that is no JSON', () => {
    expect(complaints({ ...MINIMAL, DARKROOM_CONFIG: '/no/such.json' })).toEqual([
      'DARKROOM_CONFIG (/no/such.json) cannot be read (ENOENT); example: DARKROOM_CONFIG=./darkroom.json',
    ]);
    for (const [text, place] of [
      ['{', 'line 1, column 2'],
      ['{ "a": "b', 'line 1, column 10'],
      ['{ "a": 1 }\n}', 'line 2, column 1'],
      ['{\n "a": tru }', 'line 2, column 10'],
      ['', 'line 1, column 1'],
    ])
      expect(ofFile(text)).toEqual([`DARKROOM_CONFIG is not valid JSON at ${place}${POLICY}`]);
  });

  test('no key is asked for where a file that may hold one cannot be read', () => {
    const { DARKROOM_API_URL } = MINIMAL;
    expect(() => loadConfig({ DARKROOM_API_URL, DARKROOM_CONFIG: '/no/such.json' })).toThrow(
      /^DARKROOM_CONFIG \(\/no\/such\.json\) cannot be read[^\n]*$/,
    );
  });

  test('each secret of several that cannot be used is told with its place', () => {
    const weak = 'whsec_c2hvcnQ=';
    const lines = ofFile({ workspaces: { a: { apiKey: 'k', webhookSecrets: [SECRET, weak, weak] } } });
    expect(lines.map((line) => line.split(' ')[1])).toEqual([
      'workspaces.a.webhookSecrets.1',
      'workspaces.a.webhookSecrets.2',
    ]);
  });
});

describe("DARKROOM_CONFIG's file, at its limits", () => {
  const read = (content: unknown) => loadConfig({ ...MINIMAL, DARKROOM_CONFIG: file(content) });

  test('takes the smallest and the largest numbers', () => {
    for (const webhook of [
      { maxBodyBytes: 1_024, rememberedIds: 1_000 },
      { maxBodyBytes: 67_108_864, rememberedIds: 10_000_000 },
    ])
      expect(read({ webhook }).webhook).toMatchObject(webhook);
  });

  test('reads caps', () => {
    const tag = Object.fromEntries('abcdefgh'.split('').map((name) => [name, 'x:1']));
    const all = ['hour', 'day', 'month', 'ever'].map((per, i) => ({ ...cap, name: `c${i}`, per }));
    const caps = [
      ...all,
      { ...cap, name: `n${'x'.repeat(63)}`, tag, workspace: 'a', model: 'image-l', credits: 0 },
    ];
    const expected = caps.map(({ then, ...rest }) => ({ ...rest, action: then }));
    expect(read({ caps, workspaces: { a: { apiKey: 'k' } } }).caps).toEqual(expected);
    expect(loadClientConfig({ DARKROOM_CONFIG: file({ caps }) }).caps).toEqual(expected);
  });

  test.each([
    'my-host',
    'host-name',
    'x-accept',
    'cookies',
    'their-content-type',
    'my-proxy-name',
    'a-x-darkroom-b',
  ])('takes a header %s, which is none of every request', (name) => {
    const { workspaces } = read({ workspaces: { default: { headers: { [name]: 'x' } } } });
    expect(workspaces.get('default')?.headers).toEqual({ [name]: 'x' });
  });

  test('takes ten headers for a workspace, in lower case', () => {
    const headers = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`X-Name_${i}`, `!${'~'.repeat(199)}`]),
    );
    const { workspaces } = read({ workspaces: { default: { headers } } });
    expect(Object.keys(workspaces.get('default')?.headers ?? {})).toEqual(
      Object.keys(headers).map((name) => name.toLowerCase()),
    );
  });

  test.each([
    { secrets: 'any', ids: 'strict', legacyHeaders: 'ignore' },
    { secrets: 'strict', ids: 'any', legacyHeaders: 'check' },
  ])('takes a name of 64 characters, and %j for its webhooks', (webhook) => {
    const name = `a${'.'.repeat(63)}`;
    expect(read({ workspaces: { [name]: { apiKey: 'k', webhook } } }).workspaces.get(name)).toEqual({
      apiKey: 'k',
      webhookSecrets: [],
      legacy: 'refuse',
      webhook,
    });
  });

  test('without the API of a receiver alone, no workspace needs a key', () => {
    const workspaces = { a: { webhookSecret: SECRET } };
    const config = loadConfig({ DARKROOM_CONFIG: file({ workspaces }) }, { callsApi: false });
    expect([...config.workspaces]).toEqual([
      ['a', { apiKey: '', webhookSecrets: [SECRET], legacy: 'refuse' }],
    ]);
    expect(config.apiUrl).toBe('');
  });

  test('a receiver alone may lack a workspace of a cap', () => {
    const content = {
      caps: [{ ...cap, workspace: 'default' }],
      workspaces: { a: { webhookSecret: SECRET } },
    };
    const config = loadConfig({ DARKROOM_CONFIG: file(content) }, { callsApi: false });
    expect(config.caps).toMatchObject([{ workspace: 'default' }]);
  });
});
