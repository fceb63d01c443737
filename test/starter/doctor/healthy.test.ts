import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Config } from '../../../src/config/worker-config.ts';
import type { CheckResult } from '../../../src/contract/finding.ts';
import { startDarkroom } from '../../../src/worker/start-darkroom.ts';
import { patience } from '../../patience.ts';
import { FAST, image } from '../../workflows/world.ts';
import { type DoctorWorld, listening, openDoctorWorld, proxyTo } from './doctor-world.ts';

const SILENT = { debug() {}, info() {}, warn() {} };
const DEPLOYMENT = `healthy-${randomUUID()}`;
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

let world: DoctorWorld;
beforeAll(async () => {
  world = await openDoctorWorld();
});
afterAll(() => world.close());

/** With the workers' settings changed for as long as `use` takes. */
async function withConfig(change: Partial<Config>, use: () => Promise<void>): Promise<void> {
  const before = { ...world.config };
  Object.assign(world.config, change);
  await world.stopWorker();
  await world.startWorker();
  try {
    await use();
  } finally {
    for (const name of Object.keys(change)) Reflect.deleteProperty(world.config, name);
    Object.assign(world.config, before);
    await world.stopWorker();
    await world.startWorker();
  }
}

/** Nothing but what is well. */
async function expectHealthy(...asked: Parameters<DoctorWorld['doctor']>): Promise<string[]> {
  const { code, findings } = await world.doctor(...asked);
  expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(findings.filter(({ fix }) => fix !== null)).toEqual([]);
  expect(code).toBe(0);
  return findings.map(({ check }) => check);
}

const CLIENT_ALONE = {
  DARKROOM_API_URL: undefined,
  DARKROOM_API_KEY: undefined,
  DARKROOM_WEBHOOK_SECRET: undefined,
};
const workspaceOf = () =>
  world.config.workspaces.get('default') ?? { apiKey: '', webhookSecrets: [], legacy: 'refuse' };

const HEALTHY: [name: string, check: () => Promise<unknown>][] = [
  ['as it was started', () => expectHealthy()],
  ['asked from where a client runs', () => expectHealthy(CLIENT_ALONE, [])],
  [
    'asked where no receiver runs, and none is named',
    () => expectHealthy({ DARKROOM_WEBHOOK_PORT: '9' }, []),
  ],
  [
    'with the receiver at its port here',
    () => expectHealthy({ DARKROOM_WEBHOOK_PORT: new URL(world.webhookUrl()).port }, []),
  ],
  ['asked a second time', async () => void (await expectHealthy(), await expectHealthy())],
  [
    'with a file of settings that says nothing',
    async () => {
      const path = fileURLToPath(new URL('../../../examples/lighthouse.json', import.meta.url));
      expect(JSON.parse(await readFile(path, 'utf8'))).toBeTypeOf('object');
      await expectHealthy({ LOG_LEVEL: 'info', TEMPORAL_UI_URL: 'http://ui.example' });
    },
  ],
  [
    'behind a proxy that passes bodies as they are',
    async () => {
      const { url, close } = await proxyTo(world.webhookUrl(), (body) => body);
      await expectHealthy({}, ['--webhook-url', `${url}/webhooks`]).finally(close);
    },
  ],
  [
    'after a generation',
    async () => {
      await world.generate(image('healthy'));
      await expectHealthy();
    },
  ],
  [
    'after a generation that failed',
    async () => {
      await world.fail(image('[[reject]]'));
      await expectHealthy();
    },
  ],
  [
    'while a task runs',
    async () => {
      const release = world.hold('slowly');
      const handle = await world.start(image('slowly'));
      await world.until(handle, 'waiting');
      await expectHealthy();
      release();
      await handle.result();
    },
  ],
  [
    'while a run needs a decision',
    async () => {
      world.fault({
        on: 'submit',
        match: { promptIncludes: 'whose' },
        times: 1,
        fault: { kind: 'lost-before' },
      });
      const handle = await world.start(
        image('whose', { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } }),
      );
      await world.until(handle, 'needs a decision');
      await expectHealthy();
      await handle.terminate();
    },
  ],
  [
    'after webhooks of all kinds',
    async () => {
      await Promise.all(['a', 'b', 'c', 'd', 'e'].map((prompt) => world.generate(image(prompt))));
      await expectHealthy();
    },
  ],
  [
    'with two secrets, while one is rotated',
    async () => {
      const { apiKey, webhookSecrets } = workspaceOf();
      const workspaces = new Map([
        ['default', { apiKey, webhookSecrets: [newSecret(), ...webhookSecrets], legacy: 'refuse' as const }],
      ]);
      await withConfig({ workspaces }, async () => void (await expectHealthy()));
    },
  ],
  [
    'with workspaces of their own keys',
    async () => {
      const { accounts } = world.emulator.service();
      const { value } = accounts.createKey({ name: 'film', workspace: 'default' });
      const film = { apiKey: value, webhookSecrets: [newSecret()], legacy: 'refuse' as const };
      await withConfig({ workspaces: new Map([...world.config.workspaces, ['film', film]]) }, async () => {
        const checks = await expectHealthy();
        expect(checks).toContain('key of workspace film');
      });
    },
  ],
  [
    'that takes legacy signatures',
    async () => {
      const workspaces = new Map([['default', { ...workspaceOf(), legacy: 'accept' as const }]]);
      await withConfig({ workspaces }, async () => void (await expectHealthy()));
    },
  ],
  [
    'with stored files at a public address',
    async () => {
      const { outputs } = world.config;
      if (outputs.kind !== 'folder') throw new Error('the store is a folder');
      const { url, close } = await listening(async ({ url = '' }, response) =>
        response.end(await readFile(`${outputs.path}${url}`)),
      );
      await withConfig({ publicOutputs: { kind: 'base', url } }, async () => {
        expect(await expectHealthy()).toContain('public outputs');
      }).finally(close);
    },
  ],
  [
    'with metrics at a port of their own',
    () => withConfig({ metrics: { host: '127.0.0.1', port: 0 } }, async () => void (await expectHealthy())),
  ],
  [
    'with two workers',
    async () => {
      const second = await startDarkroom(world.config, {
        worker: true,
        receiver: false,
        preflight: true,
        log: SILENT,
      });
      await expectHealthy();
      await second.stop();
    },
  ],
  [
    'with a receiver in a process of its own',
    async () => {
      const receiver = await startDarkroom(world.config, {
        worker: false,
        receiver: true,
        preflight: false,
        log: SILENT,
      });
      await expectHealthy({}, ['--webhook-url', receiver.webhookUrl ?? '']);
      await receiver.stop();
    },
  ],
  [
    'of versioned workers, one of them current',
    async () => {
      const taskQueue = `versioned-${randomUUID()}`;
      const deployment = { name: DEPLOYMENT, buildId: '1' };
      await withConfig({ taskQueue, deployment }, async () => {
        const { workflowService, options } = world.client;
        await vi.waitFor(
          () =>
            workflowService.setWorkerDeploymentCurrentVersion({
              namespace: options.namespace,
              deploymentName: DEPLOYMENT,
              buildId: '1',
              ignoreMissingTaskQueues: true,
            }),
          { timeout: patience(60_000), interval: 200 },
        );
        await expectHealthy();
      });
    },
  ],
];

describe(`doctor finds nothing wrong with ${HEALTHY.length} deployments`, () => {
  it.each(HEALTHY)('%s', async (_, check) => {
    await expect(check()).resolves.not.toThrow();
  });

  it('and says so to people in one line', async () => {
    const { config } = world;
    const { starterHere } = await import('../run-program.ts');
    const said = await starterHere(['doctor'], {
      TEMPORAL_ADDRESS: config.temporal.address,
      DARKROOM_TASK_QUEUE: config.taskQueue,
    });
    expect(said.stdout).toMatch(/^Nothing is wrong: \d+ checks\.\nreceiver: Not checked: [^\n]+\n$/);
  });
});

describe('the workflow darkroomCheck', () => {
  const check = (args: unknown[] = []) =>
    world.client.workflow.execute<(...args: unknown[]) => Promise<CheckResult>>('darkroomCheck', {
      taskQueue: world.config.taskQueue,
      workflowId: `check/${randomUUID()}`,
      args,
    });

  it('tells of both task queues, by ids of secrets and never a secret', async () => {
    const { findings } = await check();
    const told = JSON.stringify(findings);
    const { apiKey, webhookSecrets } = workspaceOf();
    for (const secret of [apiKey, ...webhookSecrets]) expect(told).not.toContain(secret);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['key of workspace default', 'balance of workspace default', 'store']),
    );
  });

  it('as a gate fails where a check does, and passes otherwise', async () => {
    await expect(check([{ gate: true }])).resolves.toMatchObject({ findings: expect.any(Array) as unknown });
    const { faults } = world.emulator.service();
    const { id } = faults.add({ on: 'credits', fault: { kind: 'error', code: 'UNAUTHORIZED' } });
    const failed = await world.failureOf<CheckResult>({ result: () => check([{ gate: true }]) });
    expect(failed.type).toBe('CHECK_FAILED');
    expect(failed.message).toContain('refuses key');
    expect(failed.details.findings).toContainEqual(expect.objectContaining({ status: 'failure' }));
    await expect(check()).resolves.toBeTruthy();
    faults.remove(id);
  });

  it.each([
    ['secrets', () => ({ webhookSecrets: [newSecret()] })],
    ['headers', () => ({ headers: { 'x-studio': 'somebody-elses' } })],
  ])('finds two workers of one deployment that have other %s', async (what, change) => {
    const workspaces = new Map([['default', { ...workspaceOf(), ...change() }]]);
    await world.stopWorker();
    const other = await startDarkroom(
      { ...world.config, workspaces },
      { worker: true, receiver: false, preflight: true, log: SILENT },
    );
    await world.startWorker();
    // Which worker takes which half is the server's choice.
    await vi.waitFor(
      async () => {
        const { findings } = await check();
        expect(findings).toContainEqual(
          expect.objectContaining({
            check: 'settings of the workers',
            status: 'warning',
            message: expect.stringContaining(`${what} of workspace default`) as unknown,
          }),
        );
        expect(JSON.stringify(findings)).not.toContain('somebody-elses');
      },
      { timeout: patience(60_000), interval: 100 },
    );
    await other.stop();
  });
});
