import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { EMULATOR_PACKAGE } from './name.ts';

/** Packages that not everybody needs are not installed. The message has the command that installs them. */
export class MissingPackages extends Error {
  override readonly name = 'MissingPackages';
  /** `<name>@<range>` of each. */
  readonly packages: readonly string[];

  constructor(what: string, packages: readonly string[]) {
    super(`${what} needs packages that are not installed:\n  npm install ${packages.join(' ')}`);
    this.packages = packages;
  }
}

/** What stands in package.json as optional peers: a service that only starts work does without. */
export type OptionalPackage =
  | '@aws-sdk/client-s3'
  | '@aws-sdk/lib-storage'
  | '@aws-sdk/s3-request-presigner'
  | '@opentelemetry/api'
  | '@opentelemetry/exporter-trace-otlp-http'
  | '@opentelemetry/resources'
  | '@opentelemetry/sdk-trace-node'
  | '@temporalio/interceptors-opentelemetry'
  | '@temporalio/testing'
  | '@temporalio/worker'
  | typeof EMULATOR_PACKAGE
  | 'mediabunny'
  | 'pino'
  | 'pino-pretty'
  | 'prom-client'
  | 'quick-lru';

/** What every worker needs. */
export const WORKER_PACKAGES = [
  '@temporalio/worker',
  'mediabunny',
  'pino',
  'pino-pretty',
  'prom-client',
  'quick-lru',
] as const satisfies OptionalPackage[];

/** What sends traces to a collector. */
export const TRACING_PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
  '@temporalio/interceptors-opentelemetry',
] as const satisfies OptionalPackage[];

/** What needs an emulator and a Temporal server of its own needs these. */
export const LOCAL_PACKAGES = [
  ...WORKER_PACKAGES,
  '@temporalio/testing',
  EMULATOR_PACKAGE,
] as const satisfies OptionalPackage[];

const { resolve } = createRequire(import.meta.url);
const manifest = z.object({ version: z.string(), peerDependencies: z.record(z.string(), z.string()) });

/**
 * To be called before what needs them is loaded: all that is missing is named at once.
 *
 * @param what needs them, as the beginning of a sentence
 * @throws MissingPackages
 */
export function needPackages(what: string, packages: readonly OptionalPackage[]): void {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const { version, peerDependencies } = manifest.parse(
    JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
  );
  throw new MissingPackages(
    what,
    missing.map((name) => `${name}@${name === EMULATOR_PACKAGE ? version : peerDependencies[name]}`),
  );
}

function isInstalled(name: string): boolean {
  try {
    resolve(`${name}/package.json`);
    return true;
  } catch (error) {
    // It is there, and keeps its manifest to itself.
    return error instanceof Error && 'code' in error && error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
