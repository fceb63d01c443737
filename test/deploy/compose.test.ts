import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../emulator/src/config/environment.ts';
import { VARIABLE_NAMES } from '../../src/config/variables.ts';
import { loadConfig } from '../../src/config/worker-config.ts';
import { interpolate, ROOT, readComposeFile, type Service, taken } from './compose-file.ts';
import { KNOWN_VARIABLES, TRACES } from './known-variables.ts';

const compose = readComposeFile();
const services = Object.entries(compose.services);
/** Those that run this project's own images. */
const ours = services.filter(([, { build }]) => build !== undefined);
const text = readFileSync(`${ROOT}docker-compose.yml`, 'utf8');

/** `.env.example` with its empty lines filled in, as its reader does. */
const settings = {
  ...parseEnv(readFileSync(`${ROOT}.env.example`, 'utf8')),
  POSTGRES_PASSWORD: 'made-for-this-test',
  DARKROOM_API_KEY: 'dk_made_for_this_test',
  DARKROOM_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
} as Record<string, string>; // parseEnv's values may be undefined by type only

function service(name: string): Service {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

/** The environment that a service's program sees. */
function environmentOf({ environment = {} }: Service): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, interpolate(value, settings)]),
  );
}

describe('docker-compose.yml', () => {
  it('is what the Compose Specification allows', () => {
    const schema = JSON.parse(readFileSync(new URL('compose-spec.json', import.meta.url), 'utf8')) as object; // as published
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
    expect(validate({ services: { worker: { imagine: 'darkroom' } } })).toBe(false);
  });

  // Without a command of its own a service runs the image's: dockerfile.test.ts.
  const commanded = ours.filter(([, { command }]) => command !== undefined);
  it.each(commanded)('runs a file of this project as %s, with options that it knows', (_, service) => {
    const { entrypoint = [], command = [] } = service;
    const [program, file = '', ...flags] = [...entrypoint, ...command];
    expect(program).toBe('node');
    expect(existsSync(ROOT + file)).toBe(true);
    const help = execFileSync(process.execPath, [ROOT + file, '--help'], { encoding: 'utf8' });
    expect(flags.filter((flag) => !help.includes(`${flag} `))).toEqual([]);
  });

  it.each(ours)('gives %s only variables that a program here reads', (_, { environment = {} }) => {
    expect(Object.keys(environment).filter((name) => !KNOWN_VARIABLES.has(name))).toEqual([]);
  });

  it.each(['worker', 'receiver', 'starter'])('gives %s a configuration that its program accepts', (name) => {
    const config = loadConfig(environmentOf(service(name)), { callsApi: name !== 'receiver' });
    expect(config).toMatchObject({
      apiUrl: 'http://emulator:4010/api/v1',
      privateOutputs: true,
      outputs: { kind: 'folder', path: '/data/outputs' },
      temporal: { address: 'temporal:7233', namespace: 'default' },
    });
    expect(config.temporal.apiKey).toBeUndefined();
    expect(config.workspaces.get('default')?.apiKey).toBe(
      name === 'receiver' ? '' : settings['DARKROOM_API_KEY'],
    );
  });

  it("hands on every setting that is not the container's own", () => {
    const own = ['DARKROOM_WEBHOOK_PORT', 'DARKROOM_WEBHOOK_HOST', 'DARKROOM_METRICS_HOST', 'DARKROOM_CACHE'];
    const names = [
      ...VARIABLE_NAMES,
      ...TRACES,
      'TEMPORAL_DEPLOYMENT_NAME',
      'TEMPORAL_WORKER_BUILD_ID',
      'LOG_LEVEL',
    ];
    const { environment = {} } = service('worker');
    const isHandedOn = (name: string): boolean => environment[name]?.startsWith(`\${${name}:`) === true;
    expect(names.filter((name) => !isHandedOn(name))).toEqual(own);
  });

  it('gives the emulator the key and the secret that the workers have, and the address of the receiver', () => {
    const { accounts, endpoints, publicUrl } = readEnvironment(environmentOf(service('emulator')));
    const { apiUrl, workspaces } = loadConfig(environmentOf(service('worker')));
    const { apiKey, webhookSecrets } = workspaces.get('default') ?? {};
    expect(accounts).toMatchObject([{ apiKey }]);
    expect(endpoints).toMatchObject([{ url: 'http://receiver:8787/webhooks', secret: webhookSecrets?.[0] }]);
    expect(apiUrl).toBe(`${publicUrl}/api/v1`);
  });

  it('runs two workers without a receiver, a receiver alone, and the emulator on request only', () => {
    expect(service('worker')).toMatchObject({ deploy: { replicas: 2 } });
    expect(service('worker').command).toContain('--no-receiver');
    expect(service('receiver').command).toContain('--receiver-only');
    expect(service('emulator').profiles).toEqual(['emulator']);
  });

  it('gives a worker longer to stop than it waits for submits in flight', () => {
    const drain = /DRAIN = '(\d+) seconds'/.exec(
      readFileSync(`${ROOT}src/worker/start-workers.ts`, 'utf8'),
    )?.[1];
    const grace = /^(\d+)s$/.exec(service('worker').stop_grace_period ?? '')?.[1];
    expect(Number(grace)).toBeGreaterThan(Number(drain));
  });

  it('waits for what can be waited for', () => {
    const waitedFor = services
      .flatMap(([, { depends_on = {} }]) => Object.entries(depends_on))
      .filter(([, { condition }]) => condition === 'service_healthy')
      .map(([name]) => name);
    const unchecked = waitedFor.filter((name) => {
      const { healthcheck, build } = service(name);
      return healthcheck?.test === undefined && build === undefined;
    });
    expect(unchecked).toEqual([]);
    expect(service('worker').depends_on?.['emulator']?.required).toBe(false);
  });

  it('names files and volumes that exist', () => {
    const mounts = services.flatMap(([, { volumes = [], command = [] }]) =>
      volumes.map((volume) => {
        const [source = '', target = ''] = volume.split(':');
        return { source, target, command };
      }),
    );
    const missing = mounts.filter(({ source }) =>
      source.startsWith('./') ? !existsSync(ROOT + source) : !(source in compose.volumes),
    );
    expect(missing).toEqual([]);
    const scripts = mounts.flatMap(({ source, target, command }) =>
      command
        .filter((word) => word.startsWith(`${target}/`))
        .map((word) => source + word.slice(target.length)),
    );
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((script) => !existsSync(ROOT + script))).toEqual([]);
  });

  it('names the version of every image that it does not build, and one version of Temporal', () => {
    const images = services.filter(([, { build }]) => build === undefined).map(([, { image }]) => image);
    expect(images.filter((image) => !/^[\w/-]+:v?\d+/.test(image))).toEqual([]);
    const temporal = images.filter((image) => /^temporalio\/(server|admin-tools):/.test(image));
    expect(new Set(temporal.map((image) => image.split(':')[1])).size).toBe(1);
  });

  it('publishes its ports to this machine alone', () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('holds no secret, and does not start without them', () => {
    const secrets = ['POSTGRES_PASSWORD', 'DARKROOM_API_KEY', 'DARKROOM_WEBHOOK_SECRET'];
    const secret = taken(text).filter(({ name }) => /PASSWORD|KEY|SECRET/.test(name));
    expect(secret.filter(({ fallback }) => fallback !== '')).toEqual([]);
    const required = new Set(secret.filter(({ required }) => required).map(({ name }) => name));
    expect([...required].sort()).toEqual([...secrets].sort());
    const optional = secret.filter(({ name }) => !required.has(name)).map(({ name }) => name);
    expect(new Set(optional)).toEqual(
      new Set(['TEMPORAL_API_KEY', 'DARKROOM_CALLBACK_SECRET', 'DARKROOM_ENCRYPTION_KEYS']),
    );
    const example = parseEnv(readFileSync(`${ROOT}.env.example`, 'utf8'));
    expect(secrets.map((name) => example[name])).toEqual(['', '', '']);
  });

  it('takes every setting that .env.example offers', () => {
    const offered = [...readFileSync(`${ROOT}.env.example`, 'utf8').matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map(
      ([, name]) => name,
    );
    const names = new Set(taken(text).map(({ name }) => name));
    // Compose's own.
    names.add('COMPOSE_PROFILES');
    expect(offered.filter((name) => !names.has(name ?? ''))).toEqual([]);
  });
});
