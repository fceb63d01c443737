import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigMap, PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/worker-config.ts';
import { ROOT } from './compose-file.ts';
import { KNOWN_VARIABLES } from './known-variables.ts';

interface Manifest {
  file: string;
  kind: string;
  value: { metadata: { name: string }; spec: { template: PodTemplateSpec }; data?: ConfigMap['data'] };
}

const FOLDER = `${ROOT}deploy/kubernetes/`;
const files = readdirSync(FOLDER);
const manifests = files.flatMap((file) =>
  parseAllDocuments(readFileSync(FOLDER + file, 'utf8'), { merge: true }).map((document): Manifest => {
    const value = document.toJS() as Manifest['value'] & { kind: string }; // judged by the types below
    return { file, kind: value.kind, value };
  }),
);

/** Where the types of a kind are, which are made of Kubernetes's OpenAPI schemas. */
const TYPES: Readonly<Record<string, string>> = {
  ConfigMap: "import('kubernetes-types/core/v1').ConfigMap",
  Service: "import('kubernetes-types/core/v1').Service",
  Deployment: "import('kubernetes-types/apps/v1').Deployment",
  PodDisruptionBudget: "import('kubernetes-types/policy/v1').PodDisruptionBudget",
  Kustomization:
    '{ apiVersion: string; kind: string; resources: string[]; images: { name: string; newName: string; newTag: string }[] }',
  // By the resources of Temporal's worker controller 1.8.
  Connection: '{ apiVersion: string; kind: string; metadata: { name: string }; spec: { hostPort: string } }',
  WorkerDeployment: `{ apiVersion: string; kind: string; metadata: { name: string }; spec: {
    replicas?: number;
    workerOptions: { connectionRef: { name: string }; temporalNamespace: string };
    rollout: { strategy: 'Manual' | 'AllAtOnce' | 'Progressive'; gate?: { workflowType: string; input?: object } };
    sunset?: { scaledownDelay?: string; deleteDelay?: string };
    template: import('kubernetes-types/core/v1').PodTemplateSpec } }`,
};

/** What the compiler says of values as manifests of their kinds: fields that are unknown, missing or of a wrong type. */
function complaints(manifests: readonly Pick<Manifest, 'kind' | 'value'>[]): string {
  const cache = `${ROOT}node_modules/.cache`; // below the project: the types are found
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'manifests-'));
  try {
    const lines = manifests.map(
      ({ kind, value }, index) => `const m${index}: ${TYPES[kind]} = ${JSON.stringify(value)};`,
    );
    writeFileSync(join(folder, 'manifests.ts'), `${lines.join('\n')}\nexport {};\n`);
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'esnext', '--types', ''];
    const tsc = `${ROOT}node_modules/typescript/bin/tsc`;
    const more = ['--moduleResolution', 'bundler', '--skipLibCheck', join(folder, 'manifests.ts')];
    execFileSync(process.execPath, [tsc, ...options, ...more], { encoding: 'utf8' });
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error); // execFileSync's error
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function templateOf(kind: string, name: string): PodTemplateSpec {
  const found = manifests.find(({ kind: one, value }) => one === kind && value.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found.value.spec.template;
}

const templates = [
  { name: 'worker', template: templateOf('Deployment', 'darkroom-worker') },
  { name: 'receiver', template: templateOf('Deployment', 'darkroom-receiver') },
];

/** Made by the commands of docs/deployment.md. */
const SECRETS: Readonly<Record<string, Record<string, string>>> = {
  'darkroom-api': { DARKROOM_API_KEY: 'dk_made_for_this_test' },
  'darkroom-webhooks': { DARKROOM_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
};

function environmentOf({ spec }: PodTemplateSpec): Record<string, string> {
  const sources = spec?.containers[0]?.envFrom ?? [];
  const data = manifests.find(({ kind }) => kind === 'ConfigMap')?.value.data ?? {};
  return Object.assign(
    {},
    ...sources.map(({ secretRef }) => (secretRef?.name === undefined ? data : SECRETS[secretRef.name])),
  ) as Record<string, string>; // values of both are texts
}

describe('deploy/kubernetes', () => {
  it('holds what the kinds allow', () => {
    expect(manifests.filter(({ kind }) => TYPES[kind] === undefined)).toEqual([]);
    expect(complaints(manifests)).toBe('');
  });

  it('is judged by types that find mistakes', () => {
    const deployments = structuredClone(manifests.filter(({ kind }) => kind === 'Deployment'));
    for (const { value } of deployments)
      Object.assign(value.spec.template.spec?.containers[0] ?? {}, { readynessProbe: {} });
    expect(complaints(deployments)).toContain(`'"readynessProbe"' does not exist`);
  });

  it.each(templates)('gives a $name settings that its program accepts', ({ name, template }) => {
    const environment = environmentOf(template);
    expect(Object.keys(environment).filter((one) => !KNOWN_VARIABLES.has(one))).toEqual(['AWS_REGION']);
    const config = loadConfig(environment, { callsApi: name === 'worker' });
    expect(config).toMatchObject({ outputs: { kind: 's3' }, metrics: { port: 9464 } });
    expect(environment['DARKROOM_API_KEY'] === undefined).toBe(name === 'receiver');
  });

  it.each(templates)('runs a $name by its own options', ({ template }) => {
    const [program, file = '', ...flags] = template.spec?.containers[0]?.args ?? [];
    expect(program).toBe('node');
    const help = execFileSync(process.execPath, [ROOT + file, '--help'], { encoding: 'utf8' });
    expect(flags.filter((flag) => !help.includes(`${flag} `))).toEqual([]);
  });

  it('gives a worker longer to stop than it waits for submits in flight', () => {
    const drain = /DRAIN = '(\d+) seconds'/.exec(
      readFileSync(`${ROOT}src/worker/start-workers.ts`, 'utf8'),
    )?.[1];
    expect(templates[0]?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThan(Number(drain));
  });

  it('has the same workers with versions, behind a gate that the worker has', () => {
    expect(templateOf('WorkerDeployment', 'darkroom')).toEqual(templates[0]?.template);
    const workflows = readFileSync(`${ROOT}src/workflows/index.ts`, 'utf8');
    expect(workflows).toMatch(/\bdarkroomCheck\b/);
  });

  it('names each of its files that is not an alternative', () => {
    const kustomization = manifests.find(({ kind }) => kind === 'Kustomization');
    const others = new Set(['kustomization.yaml', 'versioned-workers.yaml']);
    const resources = files.filter((file) => !others.has(file)).sort();
    expect(kustomization?.value).toMatchObject({ resources });
  });
});
