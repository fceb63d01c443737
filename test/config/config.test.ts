import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadClientConfig } from '../../src/config/client-config.ts';
import { doubtfulSettings } from '../../src/config/doubtful-settings.ts';
import { VARIABLE_NAMES } from '../../src/config/variables.ts';
import { loadConfig } from '../../src/config/worker-config.ts';
import { webUiUrl } from '../../src/starter/describe/web-ui.ts';
import { complaints, file, MINIMAL, OTHER_SECRET, SECRET } from './complaints.ts';

const THIRD_SECRET = 'whsec_d0DbLTqcYOhrgwVSTAXTTMpYR7Umxz7pHLnBdXUyX1k=';

describe('loadConfig', () => {
  test('needs the API and a key, and has a default for all else', () => {
    expect(loadConfig(MINIMAL)).toEqual({
      apiUrl: 'https://api.example.com/api/v1',
      workspaces: new Map([['default', { apiKey: 'sk-live-1', webhookSecrets: [], legacy: 'refuse' }]]),
      webhook: { host: '127.0.0.1', port: 8787, maxBodyBytes: 1_048_576, rememberedIds: 100_000 },
      taskQueue: 'darkroom',
      outputs: { kind: 'folder', path: resolve('outputs') },
      privateOutputs: false,
      models: {},
      caps: [],
      policy: {},
      temporal: { address: 'localhost:7233', namespace: 'default' },
    });
  });

  test('reads every variable', () => {
    const config = loadConfig({
      ...MINIMAL,
      DARKROOM_API_URL: 'http://127.0.0.1:4010/api/v1/',
      DARKROOM_WEBHOOK_SECRET: `${SECRET}, ${OTHER_SECRET}`,
      DARKROOM_WEBHOOK_PORT: '0',
      DARKROOM_WEBHOOK_HOST: '0.0.0.0',
      DARKROOM_METRICS_PORT: '9464',
      DARKROOM_METRICS_HOST: '::1',
      DARKROOM_TASK_QUEUE: 'studio',
      DARKROOM_OUTPUTS: 's3://bucket/some/prefix',
      DARKROOM_PRIVATE_OUTPUTS: 'allow',
      DARKROOM_PUBLIC_OUTPUTS: 'presigned:6h',
      TEMPORAL_ADDRESS: 'temporal.example.com:7233',
      TEMPORAL_NAMESPACE: 'media',
      TEMPORAL_API_KEY: 'tmprl-key',
    });
    expect(config.apiUrl).toBe('http://127.0.0.1:4010/api/v1');
    expect(config.workspaces.get('default')?.webhookSecrets).toEqual([SECRET, OTHER_SECRET]);
    expect(config.webhook).toMatchObject({ host: '0.0.0.0', port: 0 });
    expect(config.metrics).toEqual({ host: '::1', port: 9464 });
    expect(config).toMatchObject({ taskQueue: 'studio', privateOutputs: true });
    expect(config.outputs).toMatchObject({ kind: 's3', bucket: 'bucket', prefix: 'some/prefix' });
    expect(config.publicOutputs).toEqual({ kind: 'presigned', life: 6 * 3_600_000 });
    expect(config.temporal).toEqual({
      address: 'temporal.example.com:7233',
      namespace: 'media',
      apiKey: 'tmprl-key',
      tls: true,
    });
  });

  test('refuses signed addresses of a folder, and addresses that are none', () => {
    const refused = (value: string) => () => loadConfig({ ...MINIMAL, DARKROOM_PUBLIC_OUTPUTS: value });
    expect(refused('presigned')).toThrow('is presigned, which is for files in a bucket');
    expect(refused('presigned:30d')).toThrow('no time from 1m to 168h');
    expect(refused('files.example.com')).toThrow('must be the public address of the stored files');
    expect(refused('https://files.example.com/?key=1')).toThrow('an address alone');
  });

  test('shows metrics to this machine alone unless told otherwise, wherever webhooks are taken', () => {
    const config = loadConfig({ ...MINIMAL, DARKROOM_WEBHOOK_HOST: '0.0.0.0', DARKROOM_METRICS_PORT: '0' });
    expect(config.metrics).toEqual({ host: '127.0.0.1', port: 0 });
    expect(loadConfig(MINIMAL).metrics).toBeUndefined();
  });

  test('asks for neither the address nor a key where the API is not called', () => {
    const config = loadConfig({ DARKROOM_WEBHOOK_SECRET: SECRET }, { callsApi: false });
    expect(config.workspaces.get('default')).toMatchObject({ apiKey: '', webhookSecrets: [SECRET] });
  });

  test('treats an empty variable as not set', () => {
    const config = loadConfig({
      ...MINIMAL,
      DARKROOM_WEBHOOK_PORT: '',
      DARKROOM_CONFIG: ' ',
      TEMPORAL_ADDRESS: '',
    });
    expect(config.webhook.port).toBe(8787);
    expect(config.temporal.address).toBe('localhost:7233');
  });

  test.each([`${SECRET},${OTHER_SECRET},`, ` ,${SECRET} ,, ${OTHER_SECRET}\n, `])(
    'reads the secrets in %j: nothing between two commas is no secret',
    (list) => {
      const { workspaces } = loadConfig({ ...MINIMAL, DARKROOM_WEBHOOK_SECRET: list });
      expect(workspaces.get('default')?.webhookSecrets).toEqual([SECRET, OTHER_SECRET]);
    },
  );

  test('reports everything that is wrong at once, each with an example', () => {
    const lines = complaints({
      DARKROOM_API_URL: 'https://api.example.com/v1',
      DARKROOM_WEBHOOK_PORT: '80x',
      DARKROOM_PRIVATE_OUTPUTS: 'yes',
      DARKROOM_OUTPUTS: 'gs://bucket',
      TEMPORAL_ADDRESS: 'http://localhost:7233',
      TEMPORAL_TLS: 'yes',
    });
    for (const name of [
      'DARKROOM_API_URL',
      'DARKROOM_API_KEY',
      'DARKROOM_WEBHOOK_PORT',
      'DARKROOM_PRIVATE_OUTPUTS',
      'DARKROOM_OUTPUTS',
      'TEMPORAL_ADDRESS',
      'TEMPORAL_TLS',
    ]) {
      expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${name} .*; example: ${name}=`)));
    }
    expect(lines).toHaveLength(7);
  });

  test.each([
    ['DARKROOM_API_URL', 'ftp://api.example.com/api/v1', 'is not an http(s) URL'],
    ['DARKROOM_API_URL', 'https://api.example.com/api/v1?key=1', 'must not have a query or a fragment'],
    ['DARKROOM_API_URL', 'http://api.example.com/api/v1', 'is plain http:// to another machine'],
    ['DARKROOM_API_URL', 'http://10.0.0.7/api/v1', 'DARKROOM_PLAIN_API=allow in a network of your own'],
    ['DARKROOM_API_URL', 'http://localhost.example.com/api/v1', 'is plain http:// to another machine'],
    ['DARKROOM_PLAIN_API', 'yes', 'must be allow or refuse'],
    ['DARKROOM_API_KEY', 'Bearer abc', 'is to be the key alone'],
    ['DARKROOM_API_KEY', 'two words', 'a header cannot carry'],
    ['DARKROOM_WEBHOOK_SECRET', 'whsec_c2hvcnQ=', 'has 5 bytes; at least 24 are needed'],
    [
      'DARKROOM_WEBHOOK_SECRET',
      `${SECRET},whsec_c2hvcnQ=`,
      'has 2 secrets, of which number 2 cannot be used: ',
    ],
    ['DARKROOM_WEBHOOK_SECRET', ' , ', 'holds commas and no secret'],
    ['DARKROOM_WEBHOOK_PORT', '65536', 'must be a port'],
    ['DARKROOM_WEBHOOK_HOST', 'http://0.0.0.0', 'without a port'],
    ['DARKROOM_METRICS_PORT', '8787', 'is 8787, where webhooks are taken'],
    ['DARKROOM_METRICS_PORT', '-1', 'must be a port'],
    ['DARKROOM_RESTORED_SINCE', '2026-11-01T10:00', 'must be a past time with its zone'],
    ['DARKROOM_RESTORED_SINCE', '2999-01-01T10:00Z', 'must be a past time with its zone'],
    ['DARKROOM_METRICS_HOST', '[::1]:9464', 'without a port'],
    ['DARKROOM_TASK_QUEUE', 'two words', 'must be 1 to 200 letters'],
    ['DARKROOM_S3_PATH_STYLE', 'yes', 'DARKROOM_S3_PATH_STYLE is "yes", but must be true or false'],
    ['LOG_LEVEL', 'verbose', 'LOG_LEVEL is "verbose", but must be one of trace, debug, info'],
    ['DARKROOM_CONFIG', '/no/such/file.json', 'cannot be read (ENOENT)'],
    ['TEMPORAL_TLS_CLIENT_CERT_PATH', '/no/such.pem', 'they belong together'],
    ['TEMPORAL_TLS_SERVER_CA_CERT_PATH', '/no/such.pem', 'cannot be read (ENOENT)'],
    ['TEMPORAL_PROFILE', 'no-such', 'does not have'],
    ['TEMPORAL_ADDRESS', 'localhost:70000', 'the port at most 65535'],
    ['TEMPORAL_NAMESPACE', 'media ', 'must not begin or end with a blank'],
    ['TEMPORAL_TLS_DISABLE_HOST_VERIFICATION', 'yes', 'must be true or false'],
    ['TEMPORAL_CONFIG_FILE', '/no/such/temporal.toml', 'does not exist'],
    ['TEMPORAL_UI_URL', 'localhost:8233', 'TEMPORAL_UI_URL is not an http(s) URL; example: TEMPORAL_UI_URL='],
    ['TEMPORAL_UI_URL', 'http://ui.example/#/namespaces', 'must not have a query or a fragment'],
  ])('refuses %s=%s', (name, value, reason) => {
    expect(complaints({ ...MINIMAL, [name]: value }).join('\n')).toContain(reason);
  });

  test.each([
    'http://localhost:4010/api/v1',
    'http://emulator.localhost/api/v1',
    'http://127.8.9.1/api/v1',
    'http://[::1]:4010/api/v1',
    'https://10.0.0.7/api/v1',
  ])('takes an API at %s: nobody can listen on the way', (url) => {
    expect(loadConfig({ ...MINIMAL, DARKROOM_API_URL: url }).apiUrl).toBe(url);
  });

  test('takes an API of another machine without TLS where it is told to', () => {
    const url = 'http://emulator:4010/api/v1';
    expect(loadConfig({ ...MINIMAL, DARKROOM_API_URL: url, DARKROOM_PLAIN_API: ' allow ' }).apiUrl).toBe(url);
  });

  test.each([
    [{ TEMPORAL_TLS: 'false' }, 'TEMPORAL_API_KEY is there, but TLS is switched off (TEMPORAL_TLS=false)'],
    [
      { TEMPORAL_TLS: '0', TEMPORAL_ADDRESS: 'temporal.example.com:7233' },
      'TLS is switched off (TEMPORAL_TLS=0)',
    ],
  ])("does not send Temporal's key where everybody can read it: %j", (env, reason) => {
    expect(complaints({ ...MINIMAL, ...env, TEMPORAL_API_KEY: 'tmprl' })).toEqual([
      expect.stringContaining(reason),
    ]);
    expect(complaints({ ...MINIMAL, ...env })).toEqual([]);
  });

  test("does not send a profile file's key where everybody can read it", () => {
    const path = file('[profile.default]\napi_key = "tmprl"\n[profile.default.tls]\ndisabled = true');
    expect(complaints({ ...MINIMAL, TEMPORAL_CONFIG_FILE: path })).toEqual([
      expect.stringContaining(`but TLS is switched off (tls.disabled in TEMPORAL_CONFIG_FILE (${path}))`),
    ]);
  });

  test('refuses a mistyped name instead of ignoring it', () => {
    expect(complaints({ ...MINIMAL, DARKROOM_PRIVATE_OUTPUT: 'allow' })).toEqual([
      'DARKROOM_PRIVATE_OUTPUT is not a setting (did you mean DARKROOM_PRIVATE_OUTPUTS?); example: DARKROOM_PRIVATE_OUTPUTS=…',
    ]);
    expect(complaints({ ...MINIMAL, DARKROOM_COLOUR: 'red' })).toEqual([]);
  });

  test('never repeats a key or a secret', () => {
    const env = {
      DARKROOM_API_URL: 'https://user:sk-in-url@api.example.com/nowhere',
      DARKROOM_API_KEY: 'sk-live secret',
      DARKROOM_WEBHOOK_SECRET: 'whsec_not-so-secret',
      DARKROOM_OUTPUTS: 's3://AKIA:sk-in-outputs@bucket/prefix',
      DARKROOM_CONFIG: file('{ "workspaces": { "studio": { "apiKey": sk-in-file } } }'),
      TEMPORAL_CONFIG_FILE: file('[profile.default]\napi_key = sk-in-profile'),
    };
    expect(complaints(env)).toHaveLength(6);
    expect(complaints(env).join('\n')).not.toMatch(/sk-|not-so-secret/);
  });

  test('refuses a Temporal key or header that gRPC would refuse with its value in the message', () => {
    const lines = complaints({
      ...MINIMAL,
      TEMPORAL_API_KEY: 'tmprl-secret\n',
      TEMPORAL_GRPC_META_X_TOKEN: 'also\nsecret',
    });
    expect(lines).toEqual([
      expect.stringMatching(/^TEMPORAL_API_KEY holds .*; example: TEMPORAL_API_KEY=/),
      expect.stringMatching(/^TEMPORAL_GRPC_META_X_TOKEN holds .*; example: TEMPORAL_GRPC_META_/),
    ]);
    expect(lines.join('\n')).not.toContain('secret');
  });

  test("names the Temporal profile file where that file's value is wrong", () => {
    const path = file('[profile.default]\naddress = "http://temporal.example.com"\napi_key = 5');
    expect(complaints({ ...MINIMAL, TEMPORAL_CONFIG_FILE: path })).toEqual([
      expect.stringContaining(`address in TEMPORAL_CONFIG_FILE (${path}) is "http://temporal.example.com"`),
      expect.stringContaining(`api_key in TEMPORAL_CONFIG_FILE (${path}) must be a text`),
    ]);
  });
});

describe('DARKROOM_CONFIG', () => {
  test('does not let a workspace without webhooks buy again whatever lost its answer', () => {
    const policy = { reconcile: { otherwise: 'resubmit' } };
    const workspaces = { studio: { apiKey: 'sk-live-2' } };
    const env = {
      ...MINIMAL,
      DARKROOM_WEBHOOK_SECRET: SECRET,
      DARKROOM_CONFIG: file({ policy, workspaces }),
    };
    expect(complaints(env).join('\n')).toMatch(
      /policy\.reconcile\.otherwise must be "ask" or "fail": workspace studio has no webhook secret/,
    );
    const heard = { studio: { apiKey: 'sk-live-2', webhookSecret: OTHER_SECRET } };
    expect(complaints({ ...env, DARKROOM_CONFIG: file({ policy, workspaces: heard }) })).toEqual([]);
  });

  test('brings workspaces, model overrides and a policy', () => {
    const content = {
      workspaces: {
        studio: { apiKey: 'sk-studio', webhookSecret: SECRET, webhook: { ids: 'any' } },
        archive: { apiKey: 'sk-archive', webhookSecrets: [OTHER_SECRET, THIRD_SECRET], legacy: 'accept' },
      },
      models: {
        'image-l': {
          path: 'generation/acme/painter:2',
          fields: { aspect_ratio: 'ratio' },
          passUnknown: true,
        },
      },
      policy: { deadline: '20m', budget: { credits: 50 } },
      webhook: { maxBodyBytes: 4_096, rememberedIds: 5_000 },
    };
    const config = loadConfig({ DARKROOM_API_URL: MINIMAL.DARKROOM_API_URL, DARKROOM_CONFIG: file(content) });
    expect([...config.workspaces]).toEqual([
      [
        'studio',
        { apiKey: 'sk-studio', webhookSecrets: [SECRET], legacy: 'refuse', webhook: { ids: 'any' } },
      ],
      ['archive', { apiKey: 'sk-archive', webhookSecrets: [OTHER_SECRET, THIRD_SECRET], legacy: 'accept' }],
    ]);
    expect(config.models).toEqual(content.models);
    expect(config.policy).toEqual(content.policy);
    expect(config.webhook).toMatchObject({ maxBodyBytes: 4_096, rememberedIds: 5_000 });
  });

  test('names the field of templates for all models, and for one of them otherwise', () => {
    const content = { templateField: 'template', models: { 'image-l': { templateField: 'preset' } } };
    const { models } = loadConfig({ ...MINIMAL, DARKROOM_CONFIG: file(content) });
    expect(models['image-l']).toEqual({ templateField: 'preset' });
    expect(models['speech-a']).toEqual({ templateField: 'template' });
  });

  test('gives way to the environment, field by field, for the workspace default', () => {
    const path = file({
      workspaces: { default: { apiKey: 'sk-file', webhookSecret: SECRET, legacy: 'accept' } },
    });
    const config = loadConfig({ ...MINIMAL, DARKROOM_CONFIG: path });
    expect(config.workspaces.get('default')).toEqual({
      apiKey: 'sk-live-1',
      webhookSecrets: [SECRET],
      legacy: 'accept',
    });
  });

  test.each([
    ['apiKey', { apiKey: 'sk-live-1' }],
    ['webhook secret', { apiKey: 'sk-other', webhookSecrets: [OTHER_SECRET, SECRET] }],
    ['webhook secret', { apiKey: 'sk-other', webhookSecret: SECRET.replace('whsec_', '') }],
  ])('does not take one %s for two workspaces', (what, studio) => {
    const path = file({ workspaces: { studio } });
    const secrets = `${SECRET},${THIRD_SECRET}`;
    const lines = complaints({ ...MINIMAL, DARKROOM_WEBHOOK_SECRET: secrets, DARKROOM_CONFIG: path });
    expect(lines).toEqual([
      expect.stringContaining(`has the same ${what} for workspaces.studio and workspaces.default`),
    ]);
    expect(lines.join()).not.toMatch(/sk-live|MfKQ9/);
  });

  test('takes one apiKey for two workspaces whose requests a header tells apart', () => {
    const named = (header: string, name: string) => ({ apiKey: 'sk-live-1', headers: { [header]: name } });
    const workspaces = { studio: named('X-Workspace', 'studio'), archive: named('x-workspace', 'old') };
    const config = loadConfig({
      DARKROOM_API_URL: MINIMAL.DARKROOM_API_URL,
      DARKROOM_CONFIG: file({ workspaces }),
    });
    expect(config.workspaces.get('studio')?.headers).toEqual({ 'x-workspace': 'studio' });
    for (const archive of [
      { apiKey: 'sk-live-1' },
      named('X-Other', 'old'),
      named('X-Workspace', 'studio'),
    ]) {
      const path = file({ workspaces: { ...workspaces, archive } });
      expect(complaints({ ...MINIMAL, DARKROOM_API_KEY: 'sk-other', DARKROOM_CONFIG: path })).toEqual([
        expect.stringContaining('has the same apiKey for workspaces.studio and workspaces.archive'),
      ]);
    }
  });

  test.each([
    ['Authorization', 'x', 'is a header of its own'],
    ['content-type', 'x', 'is a header of its own'],
    ...[
      'accept',
      'Accept-Encoding',
      'user-agent',
      'host',
      'connection',
      'transfer-encoding',
      'x-darkroom-workflow',
      'expect',
      'upgrade',
      'keep-alive',
      'te',
      'trailer',
      'proxy-connection',
      'cookie',
    ].map((name): [string, string, string] => [name, 'x', 'is a header of its own']),
    ['a header', 'x', 'must be named with letters'],
    ['x-workspace', 'two\nlines', 'must be 1 to 200 visible characters'],
  ])('takes no header %s: %j', (name, value, wrong) => {
    const path = file({ workspaces: { studio: { apiKey: 'k', headers: { [name]: value } } } });
    expect(complaints({ ...MINIMAL, DARKROOM_CONFIG: path }).join()).toContain(wrong);
  });

  test('takes callbacks where a secret signs them, and tells which one is missing', () => {
    const callbacks = ['https://hooks.example.com/'];
    const env = { ...MINIMAL, DARKROOM_CONFIG: file({ callbacks }) };
    expect(complaints(env)).toEqual([
      expect.stringContaining('DARKROOM_CALLBACK_SECRET is not set, and signs what the callbacks get'),
    ]);
    const signed = loadConfig({ ...env, DARKROOM_CALLBACK_SECRET: SECRET });
    expect(signed.callbacks).toEqual({ prefixes: callbacks, secrets: [SECRET] });
  });

  test('takes a weak secret only where the workspace says so, and tells how', () => {
    const weak = 'whsec_c2hvcnQ=';
    const relaxed = file({ workspaces: { default: { webhook: { secrets: 'any' } } } });
    const env = { ...MINIMAL, DARKROOM_WEBHOOK_SECRET: weak };
    expect(complaints(env)).toEqual([
      expect.stringContaining('(workspaces.default.webhook.secrets: "any" in DARKROOM_CONFIG takes it)'),
    ]);
    expect(complaints({ ...env, DARKROOM_CONFIG: relaxed })).toEqual([]);
    const inFile = (webhook: object) =>
      complaints({
        ...MINIMAL,
        DARKROOM_CONFIG: file({ workspaces: { studio: { apiKey: 'k', webhookSecret: weak, webhook } } }),
      });
    expect(inFile({ ids: 'any' })).toEqual([
      expect.stringContaining('workspaces.studio.webhook.secrets: "any" in DARKROOM_CONFIG takes it'),
    ]);
    expect(inFile({ secrets: 'strict' })).toEqual([expect.stringContaining('takes it')]);
    expect(inFile({ secrets: 'any' })).toEqual([]);
    expect(
      complaints({ ...env, DARKROOM_WEBHOOK_SECRET: 'no base64!', DARKROOM_CONFIG: relaxed }),
    ).toHaveLength(1);
  });

  test('of a receiver alone needs no keys, and two workspaces without one share nothing', () => {
    const workspaces = { a: { webhookSecret: SECRET }, b: { webhookSecret: OTHER_SECRET } };
    const env = { DARKROOM_CONFIG: file({ workspaces }) };
    expect([...loadConfig(env, { callsApi: false }).workspaces.keys()]).toEqual(['a', 'b']);
    expect(() => loadConfig(env)).toThrow(expect.objectContaining({ name: 'ConfigError' }));
  });

  test('needs a key for a workspace default that has a webhook secret', () => {
    const { DARKROOM_API_URL } = MINIMAL;
    const DARKROOM_CONFIG = file({ workspaces: { studio: { apiKey: 'k' } } });
    expect(complaints({ DARKROOM_API_URL, DARKROOM_CONFIG })).toEqual([]);
    expect(complaints({ DARKROOM_API_URL, DARKROOM_CONFIG, DARKROOM_WEBHOOK_SECRET: SECRET })).toEqual([
      expect.stringMatching(/^DARKROOM_API_KEY is not set/),
    ]);
  });

  test.each([
    [{ polices: {} }, 'the file has an unknown field polices (did you mean policy?)'],
    [
      { workspaces: { a: { apikey: 'k' } } },
      'workspaces.a has an unknown field apikey (did you mean apiKey?)',
    ],
    [{ workspaces: { a: {} } }, 'workspaces.a has no apiKey'],
    [{ workspaces: { 'a/b': { apiKey: 'k' } } }, 'workspaces.a/b must be named with letters'],
    [
      { workspaces: { a: { apiKey: 'k', webhookSecrets: ['x'] } } },
      'workspaces.a.webhookSecrets.0 cannot be used',
    ],
    [{ workspaces: { a: { apiKey: 'k', webhookSecret: SECRET, webhookSecrets: [] } } }, 'write one of them'],
    [
      { workspaces: { a: { apiKey: 'k', legacy: 'maybe' } } },
      'workspaces.a.legacy must be "refuse" or "accept"',
    ],
    [
      { workspaces: { a: { apiKey: 'k', webhook: { id: 'any' } } } },
      'workspaces.a.webhook has an unknown field id (did you mean ids?); known: secrets, ids, legacyHeaders',
    ],
    [
      { workspaces: { a: { apiKey: 'k', webhook: { ids: 'all' } } } },
      'workspaces.a.webhook.ids must be "strict" or "any"',
    ],
    [{ webhook: { rememberedIds: 10 } }, 'webhook.rememberedIds must be at least 1000'],
    [{ models: { 'image-1': {} } }, 'image-1 is not a model; did you mean image-l?'],
    [{ models: { 'image-l': { fields: { promt: 'x' } } } }, 'did you mean prompt?'],
    [{ templateField: 'prompt' }, "templateField must not be the name of a model's field"],
    [{ models: { 'image-l': { passunknown: true } } }, 'did you mean passUnknown?'],
    [{ policy: { deadlin: '1h' } }, 'policy.deadlin is not known'],
    [{ policy: { polling: { first: '0s' } } }, 'policy.polling.first must be a duration'],
    ['{ "workspaces": }', 'is not valid JSON at line 1, column 17'],
    ['{\n  "policy": {},\n}', 'is not valid JSON at line 3, column 1'],
    ['[]', 'the file must be an object'],
  ])('refuses %j, with an example', (content, reason) => {
    const lines = complaints({ ...MINIMAL, DARKROOM_CONFIG: file(content) });
    expect(lines.join('\n')).toContain(reason);
    for (const line of lines) expect(line).toMatch(/^DARKROOM_CONFIG .*; example: \{ "/);
  });
});

describe('loadClientConfig', () => {
  test.each([loadConfig, loadClientConfig])(
    'refuses keys that nothing is encrypted with, as %o does',
    (load) => {
      const keys = { ...MINIMAL, DARKROOM_ENCRYPTION_KEYS: `one:${Buffer.alloc(32).toString('base64')}` };
      expect(complaints(keys, load)).toEqual([
        expect.stringMatching(/^DARKROOM_ENCRYPTION_KEYS has no effect yet: payloads are not encrypted/),
      ]);
    },
  );

  test('needs neither the API nor a key', () => {
    expect(complaints({ DARKROOM_TASK_QUEUE: 'studio' }, loadClientConfig)).toEqual([]);
  });

  test('reports what is wrong with what it reads', () => {
    expect(complaints({ TEMPORAL_ADDRESS: 'localhost:port' }, loadClientConfig)).toHaveLength(1);
  });
});

test('a link to the Web UI begins with TEMPORAL_UI_URL, whatever slashes and blanks that ends in', () => {
  const link = (ui: string): string | undefined =>
    webUiUrl({ address: 'far:7233', namespace: 'media' }, 'generation/a b', { TEMPORAL_UI_URL: ui });
  const path = '/namespaces/media/workflows/generation%2Fa%20b';
  expect(link('http://ui.example:8080')).toBe(`http://ui.example:8080${path}`);
  expect(link(' https://ui.example/temporal// ')).toBe(`https://ui.example/temporal${path}`);
  expect(link('')).toBeUndefined();
});

test('docs/configuration.md has every variable', () => {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  expect(VARIABLE_NAMES.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});

describe('what can hardly be meant is said at the start', () => {
  const SECRETS = { DARKROOM_WEBHOOK_SECRET: SECRET };

  /** The lines of a worker that starts with these settings. */
  function doubts(env: NodeJS.ProcessEnv): string[] {
    return doubtfulSettings(loadConfig(env), env);
  }

  test('nothing of what is right, whoever else has variables', () => {
    const theirs = {
      TEMPORAL_ADDRESS: 'localhost:7233',
      TEMPORAL_HOST: 'localhost',
      TEMPORAL_VERSION: '1.31',
      TEMPORAL_GRPC_META_TEAM: 'media',
      DARKROOM_SERVICE_HOST: '10.0.0.1',
      DARKROOM_PORT: 'tcp://10.0.0.1:8787',
      DARKROOM_PORT_8787_TCP: 'tcp://10.0.0.1:8787',
      PATH: '/bin',
    };
    const DARKROOM_CONFIG = file({ policy: { deadline: '20m', polling: { first: '2s' } } });
    expect(doubts({ ...MINIMAL, ...SECRETS, ...theirs, DARKROOM_CONFIG })).toEqual([]);
  });

  test.each([
    ['TEMPORAL_NAME_SPACE', 'TEMPORAL_NAMESPACE'],
    ['TEMPORAL_ADDRES', 'TEMPORAL_ADDRESS'],
    ['TEMPORAL_ADRES', 'TEMPORAL_ADDRESS'],
    ['TEMPORAL_HOST', 'TEMPORAL_ADDRESS'],
    ['TEMPORAL_TASK_QUEUE', 'DARKROOM_TASK_QUEUE'],
    ['TEMPORAL_GRPC_ENDPOINT', 'TEMPORAL_ADDRESS'],
    ['TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_CLIENT_CERT_PATH'],
    ['TEMPORAL_CLOUD_API_KEY', 'TEMPORAL_API_KEY'],
    ['DARKROOM_PORT', 'DARKROOM_WEBHOOK_PORT'],
    ['DARKROOM_KEY', 'DARKROOM_API_KEY'],
    ['DARKROOM_NAMESPACE', 'TEMPORAL_NAMESPACE'],
    ['DARKROOM_LOG_LEVEL', 'LOG_LEVEL'],
    ['DARKROOM_OUTPUT_DIR', 'DARKROOM_OUTPUTS'],
    ['DARKROM_WEBHOOK_PORT', 'DARKROOM_WEBHOOK_PORT'],
    ['darkroom_metrics_port', 'DARKROOM_METRICS_PORT'],
  ])('%s has no effect: it is %s', (name, meant) => {
    expect(doubts({ ...MINIMAL, ...SECRETS, [name]: 'some-value' })).toEqual([
      `${name} is not a setting and has no effect (did you mean ${meant}?)`,
    ]);
  });

  test('a name of ours that is like no setting has no effect, either', () => {
    expect(doubts({ ...MINIMAL, ...SECRETS, DARKROOM_COLOUR: 'red' })).toEqual([
      'DARKROOM_COLOUR is not a setting and has no effect',
    ]);
  });

  test('without a webhook secret, every webhook is refused', () => {
    expect(doubts(MINIMAL)).toEqual([
      expect.stringMatching(/^no webhook secret for workspace default: its webhooks are refused/),
    ]);
  });

  test('an API key in quotes is no key', () => {
    expect(() => loadConfig({ ...MINIMAL, DARKROOM_API_KEY: '"key"' })).toThrow(
      'DARKROOM_API_KEY is in quotes',
    );
  });

  test('a policy one part of which leaves another without effect', () => {
    const policy = {
      deadline: '30m',
      polling: { first: '1h', max: '10m' },
      submit: { timeout: '10s', heartbeat: '1m' },
      retries: { FAILED: { initial: '2h', max: '1h', window: '1h', resubmissions: 100 } },
    };
    const lines = doubts({ ...MINIMAL, ...SECRETS, DARKROOM_CONFIG: file({ policy }) });
    expect(lines.map((line) => line.split(' ', 1)[0])).toEqual([
      'policy.polling.first',
      'policy.polling',
      'policy.submit.heartbeat',
      'policy.retries.FAILED.initial',
      'policy.retries.FAILED.window',
      'policy.retries.FAILED.resubmissions',
    ]);
  });

  test('a time in a policy that is too short to be one', () => {
    const policy = {
      deadline: 20,
      outputs: { wait: 24 },
      retries: { RATE_LIMITED: { window: '1ms' } },
    };
    const lines = doubts({ ...MINIMAL, ...SECRETS, DARKROOM_CONFIG: file({ policy }) });
    expect(lines).toEqual([
      'policy.deadline in DARKROOM_CONFIG is only 20 ms: tasks are paid for, and overdue. A number without a unit counts milliseconds',
      expect.stringMatching(/^policy\.outputs\.wait .* 24 ms: files that are paid for are given up/),
      expect.stringMatching(/^policy\.retries\.RATE_LIMITED\.window .* 1 ms: nothing is tried again/),
    ]);
  });
});
