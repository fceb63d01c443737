import { join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { describe, expect, test } from 'vitest';
import { cacheDirectory } from '../../src/config/cache-directory.ts';
import { loadClientConfig } from '../../src/config/client-config.ts';
import { compileCache } from '../../src/config/compile-cache.ts';
import { doubtfulSettings } from '../../src/config/doubtful-settings.ts';
import { loadStoreSettings } from '../../src/config/output-variables.ts';
import { loadConfig } from '../../src/config/worker-config.ts';
import { apiKeySetting } from '../../src/config/worker-variables.ts';
import { complaints, file, MINIMAL, OTHER_SECRET, SECRET } from './complaints.ts';

/** What is said of a worker's variables, besides what it has to be told. */
const said = (env: NodeJS.ProcessEnv): string[] => complaints({ ...MINIMAL, ...env });

const HOST = 'must be an address or a host name to listen on, without a port';
const PORT = 'must be a port: a whole number from 0 (any free one) to 65535';
const VERSION = 'must be 1 to 128 letters, digits and . _ + -';
const PLAIN =
  'is plain http:// to another machine, so that everybody on the way could read the API key; use https://, or set DARKROOM_PLAIN_API=allow in a network of your own';
const EXAMPLES: Readonly<Record<string, string>> = {
  DARKROOM_API_URL: 'https://api.example.com/api/v1',
  DARKROOM_API_KEY: "<a key from the developer dashboard's API Keys section>",
  DARKROOM_PLAIN_API: 'allow',
  DARKROOM_PRIVATE_OUTPUTS: 'allow',
  DARKROOM_WEBHOOK_PORT: '8787',
  DARKROOM_WEBHOOK_HOST: '0.0.0.0',
  DARKROOM_METRICS_PORT: '9464',
  DARKROOM_METRICS_HOST: '0.0.0.0',
  DARKROOM_TASK_QUEUE: 'darkroom',
  DARKROOM_RESTORED_SINCE: '2026-11-24T10:00Z',
  DARKROOM_S3_PATH_STYLE: 'true',
  DARKROOM_OUTPUTS: './outputs (or file:///srv/outputs, or s3://bucket/prefix)',
  DARKROOM_PUBLIC_OUTPUTS: 'https://files.example.com/darkroom (or presigned:24h for a bucket)',
  DARKROOM_WEBHOOK_SECRET: 'whsec_<base64 of at least 24 bytes>[,<another one, while rotating>]',
  DARKROOM_CALLBACK_SECRET: 'whsec_<base64 of at least 24 bytes>[,<another one, while rotating>]',
  LOG_LEVEL: 'info',
  TEMPORAL_DEPLOYMENT_NAME: 'darkroom',
  TEMPORAL_WORKER_BUILD_ID: '1.0.0',
  TEMPORAL_UI_URL: 'http://127.0.0.1:8233',
  TEMPORAL_ADDRESS: 'localhost:7233',
  TEMPORAL_NAMESPACE: 'default',
  TEMPORAL_TLS: 'true',
  TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'false',
  TEMPORAL_API_KEY: '<the key alone>',
  TEMPORAL_PROFILE: 'default',
};

describe('a wrong variable is told in one line, with an example', () => {
  test.each([
    ['DARKROOM_API_URL', 'https://me@api.example.com/api/v1', 'must not hold a user name or password'],
    ['DARKROOM_API_URL', 'https://:pw@api.example.com/api/v1', 'must not hold a user name or password'],
    ['DARKROOM_API_URL', 'https://api.example.com/v1', 'must end in /api/v1; its path is "/v1"'],
    ['DARKROOM_API_URL', 'http://api.example.com/api/v1', PLAIN],
    ['DARKROOM_API_URL', 'http://mylocalhost/api/v1', PLAIN],
    ['DARKROOM_API_KEY', 'bearer abc', 'is to be the key alone, without "Bearer " before it'],
    ['DARKROOM_API_KEY', 'my-bearer abc', expect.stringMatching(/^holds a space/)],
    ['DARKROOM_API_KEY', "'abc'", 'is in quotes, which would be sent with it: leave them out'],
    [
      'DARKROOM_API_KEY',
      'schlüssel',
      'holds a space, a line break or another character that a header cannot carry',
    ],
    ['DARKROOM_PLAIN_API', 'allowed', 'is "allowed", but must be allow or refuse'],
    ['DARKROOM_PRIVATE_OUTPUTS', 'no', 'is "no", but must be allow or refuse'],
    ['DARKROOM_WEBHOOK_SECRET', 'whsec_c2hvcnQ=', expect.stringMatching(/^cannot be used: /)],
    ['DARKROOM_WEBHOOK_SECRET', ',', 'holds commas and no secret'],
    ['DARKROOM_CALLBACK_SECRET', ',', 'holds commas and no secret'],
    ['DARKROOM_CALLBACK_SECRET', `${SECRET},whsec_c2hvcnQ=`, expect.stringMatching(/^cannot be used: .*24/)],
    ['DARKROOM_WEBHOOK_PORT', '100000', `is "100000", but ${PORT}`],
    ['DARKROOM_METRICS_PORT', '1.5', `is "1.5", but ${PORT}`],
    ['DARKROOM_METRICS_PORT', '8787', 'is 8787, where webhooks are taken'],
    ['DARKROOM_WEBHOOK_HOST', 'a b', `is "a b", but ${HOST}`],
    ['DARKROOM_METRICS_HOST', 'a[b]', `is "a[b]", but ${HOST}`],
    ['DARKROOM_METRICS_HOST', '-x', `is "-x", but ${HOST}`],
    ['DARKROOM_TASK_QUEUE', '/_sys', 'is "/_sys", but must be 1 to 200 letters, digits and . _ - / :'],
    [
      'DARKROOM_TASK_QUEUE',
      'q'.repeat(201),
      expect.stringMatching(/must be 1 to 200 letters, digits and \. _ - \/ :$/),
    ],
    ['DARKROOM_RESTORED_SINCE', '24.11.2026', 'is "24.11.2026", but must be a past time with its zone'],
    [
      'DARKROOM_RESTORED_SINCE',
      '2026-11-24T10:00Z or so',
      expect.stringMatching(/must be a past time with its zone$/),
    ],
    [
      'DARKROOM_RESTORED_SINCE',
      'on 2026-11-24T10:00Z',
      expect.stringMatching(/must be a past time with its zone$/),
    ],
    [
      'DARKROOM_RESTORED_SINCE',
      '2026-11-24T10:00Z (noon)',
      expect.stringMatching(/must be a past time with its zone$/),
    ],
    ['DARKROOM_S3_PATH_STYLE', '1', 'is "1", but must be true or false'],
    ['DARKROOM_OUTPUTS', 'gs://bucket', expect.stringMatching(/^has the unknown scheme gs:/)],
    ['DARKROOM_PUBLIC_OUTPUTS', 'presigned:1h', 'is presigned, which is for files in a bucket'],
    ['DARKROOM_PUBLIC_OUTPUTS', 'files', expect.stringMatching(/public address/)],
    ['LOG_LEVEL', 'INFO', 'is "INFO", but must be one of trace, debug, info, warn, error, fatal, silent'],
    ['TEMPORAL_UI_URL', 'ftp://ui.example', 'is not an http(s) URL'],
    ['TEMPORAL_UI_URL', 'https://ui.example/?a', 'must not have a query or a fragment'],
    [
      'TEMPORAL_ADDRESS',
      'localhost:0',
      'is "localhost:0", but must be host:port, without a scheme or a path, and the port at most 65535',
    ],
    ['TEMPORAL_ADDRESS', 'localhost:65536', expect.stringMatching(/at most 65535$/)],
    ['TEMPORAL_ADDRESS', 'localhost:7233/x', expect.stringMatching(/at most 65535$/)],
    ['TEMPORAL_NAMESPACE', ' media', 'is " media", but must not begin or end with a blank'],
    ['TEMPORAL_TLS', 'on', 'is "on", but must be true or false'],
    ['TEMPORAL_TLS_DISABLE_HOST_VERIFICATION', '2', 'is "2", but must be true or false'],
    ['TEMPORAL_API_KEY', 'two words', expect.stringMatching(/holds a space/)],
  ])('%s=%s', (name, value, wrong) => {
    const [line = '', ...more] = said({ [name]: value });
    expect(more).toEqual([]);
    const [told = '', example] = line.split(/; example: (?=[^;]*$)/);
    expect(told.startsWith(`${name} `)).toBe(true);
    expect(told.slice(name.length + 1)).toEqual(wrong);
    expect(example).toBe(`${name}=${EXAMPLES[name]}`);
  });

  test.each(Object.entries(EXAMPLES).filter(([, value]) => !/[<(]/.test(value)))(
    'what the example shows is taken: %s=%s',
    (name, value) => {
      const also = { TEMPORAL_DEPLOYMENT_NAME: 'a', TEMPORAL_WORKER_BUILD_ID: 'b' };
      const profile = name === 'TEMPORAL_PROFILE' ? file('[profile.default]\nnamespace = "x"') : '';
      expect(said({ ...also, TEMPORAL_CONFIG_FILE: profile, [name]: value })).toEqual([]);
    },
  );

  test.each(['DARKROOM_API_URL', 'DARKROOM_API_KEY'])('%s has to be set', (name) => {
    expect(said({ [name]: ' ' })).toEqual([`${name} is not set; example: ${name}=${EXAMPLES[name]}`]);
  });

  test('a name that is a letter or two off', () => {
    expect(said({ DARKROOM_TASK_QEUE: 'a', DARKROOM_OUTPUT: '', DARKROOM_TSK_QEUE: 'b' })).toEqual([
      'DARKROOM_TASK_QEUE is not a setting (did you mean DARKROOM_TASK_QUEUE?); example: DARKROOM_TASK_QUEUE=…',
      'DARKROOM_TSK_QEUE is not a setting (did you mean DARKROOM_TASK_QUEUE?); example: DARKROOM_TASK_QUEUE=…',
    ]);
  });

  test('two that belong together', () => {
    expect(said({ TEMPORAL_DEPLOYMENT_NAME: 'darkroom' })).toEqual([
      'TEMPORAL_WORKER_BUILD_ID is not set, but TEMPORAL_DEPLOYMENT_NAME is: they belong together; example: TEMPORAL_WORKER_BUILD_ID=1.0.0',
    ]);
    expect(said({ TEMPORAL_WORKER_BUILD_ID: '7' })).toEqual([
      'TEMPORAL_DEPLOYMENT_NAME is not set, but TEMPORAL_WORKER_BUILD_ID is: they belong together; example: TEMPORAL_DEPLOYMENT_NAME=darkroom',
    ]);
    expect(said({ TEMPORAL_DEPLOYMENT_NAME: 'two words', TEMPORAL_WORKER_BUILD_ID: '.7' })).toEqual([
      `TEMPORAL_DEPLOYMENT_NAME is "two words", but ${VERSION}; example: TEMPORAL_DEPLOYMENT_NAME=darkroom`,
      `TEMPORAL_WORKER_BUILD_ID is ".7", but ${VERSION}; example: TEMPORAL_WORKER_BUILD_ID=1.0.0`,
    ]);
    const pem = file('');
    for (const [given, missing] of [
      ['CERT', 'KEY'],
      ['KEY', 'CERT'],
    ]) {
      const line = `TEMPORAL_TLS_CLIENT_${missing}_PATH is not set, but TEMPORAL_TLS_CLIENT_${given}_PATH (or _DATA) is: they belong together; example: TEMPORAL_TLS_CLIENT_${missing}_PATH=/etc/temporal/client.pem`;
      expect(said({ [`TEMPORAL_TLS_CLIENT_${given}_PATH`]: pem })).toEqual([line]);
      expect(said({ [`TEMPORAL_TLS_CLIENT_${given}_DATA`]: 'pem' })).toEqual([line]);
    }
    const both = { TEMPORAL_TLS_CLIENT_CERT_PATH: pem, TEMPORAL_TLS_CLIENT_KEY_DATA: 'pem' };
    expect(said(both)).toEqual([]);
  });
});

describe('values at their limits are taken', () => {
  test.each([
    ['DARKROOM_WEBHOOK_PORT', '65535', { webhook: { port: 65_535 } }],
    ['DARKROOM_WEBHOOK_HOST', '[::1]', { webhook: { host: '::1' } }],
    ['DARKROOM_WEBHOOK_HOST', 'my-host.example', { webhook: { host: 'my-host.example' } }],
    ['DARKROOM_TASK_QUEUE', 'q'.repeat(200), { taskQueue: 'q'.repeat(200) }],
    ['DARKROOM_TASK_QUEUE', 'a/b:c.d-e_f', { taskQueue: 'a/b:c.d-e_f' }],
    ['DARKROOM_PRIVATE_OUTPUTS', 'refuse', { privateOutputs: false }],
    ['DARKROOM_RESTORED_SINCE', '2026-11-24T10:00Z', { restoredSince: Date.parse('2026-11-24T10:00Z') }],
    [
      'DARKROOM_RESTORED_SINCE',
      '2026-11-24T10:00:05.250+02:00',
      { restoredSince: Date.parse('2026-11-24T08:00:05.250Z') },
    ],
    [
      'DARKROOM_RESTORED_SINCE',
      '2026-11-24T10:00:05Z',
      { restoredSince: Date.parse('2026-11-24T10:00:05Z') },
    ],
    ['DARKROOM_S3_PATH_STYLE', 'false', { apiUrl: MINIMAL.DARKROOM_API_URL }],
    ...['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map(
      (level): [string, string, object] => ['LOG_LEVEL', level, { logLevel: level }],
    ),
    [
      'DARKROOM_API_URL',
      'https://api.example.com/x/api/v1//',
      { apiUrl: 'https://api.example.com/x/api/v1' },
    ],
    ...['a"b"', '"a"b'].map((key): [string, string, object] => [
      'DARKROOM_API_KEY',
      key,
      { workspaces: new Map([['default', { apiKey: key, webhookSecrets: [], legacy: 'refuse' }]]) },
    ]),
    ['DARKROOM_API_KEY', '"', { apiUrl: MINIMAL.DARKROOM_API_URL }],
  ])('%s=%s', (name, value, is) => {
    expect(loadConfig({ ...MINIMAL, [name]: value })).toMatchObject(is);
  });

  test('both parts of a version', () => {
    const env = { TEMPORAL_DEPLOYMENT_NAME: 'a'.repeat(128), TEMPORAL_WORKER_BUILD_ID: '1.0+x_y-z' };
    expect(loadConfig({ ...MINIMAL, ...env }).deployment).toEqual({
      name: 'a'.repeat(128),
      buildId: '1.0+x_y-z',
    });
    expect(said({ ...env, TEMPORAL_DEPLOYMENT_NAME: 'a'.repeat(129) })).toHaveLength(1);
  });

  test('any free port, for webhooks and metrics both', () => {
    const env = { DARKROOM_WEBHOOK_PORT: '0', DARKROOM_METRICS_PORT: '0' };
    expect(loadConfig({ ...MINIMAL, ...env })).toMatchObject({ webhook: { port: 0 }, metrics: { port: 0 } });
  });

  test('a webhook secret that is written twice is one', () => {
    const env = { ...MINIMAL, DARKROOM_WEBHOOK_SECRET: `${SECRET},${SECRET}` };
    expect(loadConfig(env).workspaces.get('default')?.webhookSecrets).toEqual([SECRET]);
  });

  test('a bucket', () => {
    const env = { DARKROOM_OUTPUTS: 's3://bucket', DARKROOM_PUBLIC_OUTPUTS: 'presigned' };
    expect(loadStoreSettings(env)).toMatchObject({
      outputs: { kind: 's3' },
      publicOutputs: { kind: 'presigned' },
    });
    expect(() => loadStoreSettings({ DARKROOM_OUTPUTS: 'gs://x' })).toThrow('DARKROOM_OUTPUTS');
    expect(loadStoreSettings({})).toEqual({ outputs: { kind: 'folder', path: resolve('outputs') } });
  });
});

test("a client's settings are the file's models, policy and caps, and Temporal's", () => {
  const content = { models: { 'image-l': { passUnknown: true } }, policy: { deadline: '5m' } };
  const env = { DARKROOM_CONFIG: file(content), DARKROOM_TASK_QUEUE: 'films', TEMPORAL_NAMESPACE: 'media' };
  expect(loadClientConfig(env)).toEqual({
    ...content,
    taskQueue: 'films',
    caps: [],
    outputs: { kind: 'folder', path: resolve('outputs') },
    temporal: { address: 'localhost:7233', namespace: 'media' },
  });
  expect(() => loadClientConfig({ DARKROOM_TASK_QEUE: 'x', TEMPORAL_UI_URL: 'x' })).toThrow(
    /^DARKROOM_TASK_QEUE .*\nTEMPORAL_UI_URL /,
  );
});

test('what is kept between runs lies in DARKROOM_CACHE, or in the place of the platform', () => {
  expect(cacheDirectory({ DARKROOM_CACHE: 'somewhere' })).toBe(resolve('somewhere'));
  expect(cacheDirectory({ DARKROOM_CACHE: '' })).toBe(envPaths('darkroom', { suffix: '' }).cache);
  expect(compileCache()).toBe(join(cacheDirectory(), 'compiled'));
});

test('the setting of a key is a variable for the workspace default, and in the file for others', () => {
  expect(apiKeySetting('default')).toBe('DARKROOM_API_KEY');
  expect(apiKeySetting('studio')).toBe('the apiKey of workspace studio in DARKROOM_CONFIG');
});

describe('what has no effect is said in whole', () => {
  const doubts = (env: NodeJS.ProcessEnv): string[] =>
    doubtfulSettings(loadConfig({ ...MINIMAL, ...env }), { ...MINIMAL, ...env });

  test.each([
    'ADDRESS API_KEY CODEC_AUTH CODEC_ENDPOINT CONFIG_FILE DEPLOYMENT_NAME NAMESPACE PROFILE',
    'TLS TLS_CLIENT_CERT_DATA TLS_CLIENT_CERT_PATH TLS_CLIENT_KEY_DATA TLS_CLIENT_KEY_PATH',
    'TLS_DISABLE_HOST_VERIFICATION TLS_SERVER_CA_CERT_DATA TLS_SERVER_CA_CERT_PATH TLS_SERVER_NAME',
    'UI_URL WORKER_BUILD_ID',
  ])('nothing is said of what Temporal reads itself: %s', (names) => {
    const theirs = Object.fromEntries(names.split(' ').map((name) => [`TEMPORAL_${name}`, 'x']));
    const config = loadConfig({ ...MINIMAL, DARKROOM_WEBHOOK_SECRET: SECRET });
    expect(doubtfulSettings(config, theirs)).toEqual([]);
    for (const name of Object.keys(theirs))
      expect(doubtfulSettings(config, { [`${name}S`]: 'x' })).toEqual([
        `${name}S is not a setting and has no effect (did you mean ${name}?)`,
      ]);
  });

  test.each([
    ['TEMPORL_ADDRESS', 'TEMPORAL_ADDRESS'],
    ['DAKROOM_CONFIG', 'DARKROOM_CONFIG'],
  ])('a first word that is a letter off: %s', (name, meant) => {
    expect(doubts({ DARKROOM_WEBHOOK_SECRET: SECRET, [name]: 'x' })).toEqual([
      `${name} is not a setting and has no effect (did you mean ${meant}?)`,
    ]);
  });

  test('three letters after the prefix tell nothing of what is meant', () => {
    expect(doubts({ DARKROOM_WEBHOOK_SECRET: SECRET, DARKROOM_WEBBY: 'x' })).toEqual([
      'DARKROOM_WEBBY is not a setting and has no effect',
    ]);
  });

  test("what Kubernetes sets for a service, and other programs' variables, are none of ours", () => {
    const theirs = {
      DARKROOM_PORT_8787_TCP_PROTO: 'tcp',
      DARKROOM_SERVICE_HOST: '10.0.0.1',
      DARKROOM_PORT: 'tcp://10.0.0.1:8787',
      TEMPORALHOST: 'x',
    };
    expect(doubts({ DARKROOM_WEBHOOK_SECRET: SECRET, ...theirs })).toEqual([]);
    expect(doubts({ DARKROOM_WEBHOOK_SECRET: SECRET, DARKROOM_PORT: 'see tcp://10.0.0.1' })).toEqual([
      expect.stringMatching(/^DARKROOM_PORT is not a setting/),
    ]);
  });

  test('which webhook secrets can be guessed', () => {
    const guessable = `whsec_${Buffer.alloc(32).toString('base64')}`;
    expect(doubts({ DARKROOM_WEBHOOK_SECRET: `${SECRET},${guessable}` })).toEqual([
      'a webhook secret of workspace default can be guessed: the secret has fewer than 8 different bytes',
    ]);
  });

  test('which callback secrets can be guessed', () => {
    const guessable = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const callbacks = ['https://example.com/'];
    const env = { DARKROOM_CONFIG: file({ callbacks }), DARKROOM_CALLBACK_SECRET: guessable };
    expect(doubts({ DARKROOM_WEBHOOK_SECRET: SECRET, ...env })).toEqual([
      'a callback secret can be guessed: the secret has fewer than 8 different bytes',
    ]);
  });

  test('which workspaces have no webhook secret', () => {
    const workspaces = { a: { apiKey: 'k' }, b: { apiKey: 'l', webhookSecret: SECRET }, c: { apiKey: 'm' } };
    expect(doubts({ DARKROOM_CONFIG: file({ workspaces }), DARKROOM_WEBHOOK_SECRET: OTHER_SECRET })).toEqual([
      'no webhook secret for workspace a, c: its webhooks are refused, and its tasks are found by polling alone; set DARKROOM_WEBHOOK_SECRET, or webhookSecret in DARKROOM_CONFIG',
    ]);
  });

  test.each([
    'ADDR HOST HOSTPORT HOST_URL SERVER SERVER_ADDRESS URL URI ENDPOINT GRPC_ENDPOINT GRPC_ADDRESS > TEMPORAL_ADDRESS',
    'CLOUD_NAMESPACE NS > TEMPORAL_NAMESPACE',
    'CLOUD_API_KEY KEY TOKEN > TEMPORAL_API_KEY',
    'TLS_CERT TLS_CERT_PATH CLIENT_CERT CLIENT_CERT_PATH CERT_PATH > TEMPORAL_TLS_CLIENT_CERT_PATH',
    'TLS_KEY TLS_KEY_PATH CLIENT_KEY CLIENT_KEY_PATH KEY_PATH > TEMPORAL_TLS_CLIENT_KEY_PATH',
    'TASKQUEUE > DARKROOM_TASK_QUEUE',
  ])('TEMPORAL_… %s', (row) => {
    const [names = '', meant = ''] = row.split(' > ');
    for (const name of names.split(' ')) {
      const line = `TEMPORAL_${name} is not a setting and has no effect (did you mean ${meant}?)`;
      expect(doubts({ DARKROOM_WEBHOOK_SECRET: SECRET, [`TEMPORAL_${name}`]: 'x' })).toEqual([line]);
    }
  });
});
