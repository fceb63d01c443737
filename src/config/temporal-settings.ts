import type { TLSConfig } from '@temporalio/client';
import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { shown } from '../api/shown.ts';
import type { Problem } from './config-error.ts';

/** Where Temporal is and how to get in, for the client and the worker alike. */
export interface TemporalSettings {
  address: string;
  namespace: string;
  tls?: TLSConfig | boolean;
  apiKey?: string;
  metadata?: Record<string, string>;
}

/** The SDK's. */
export const DEFAULT_ADDRESS = 'localhost:7233';
const DEFAULT_NAMESPACE = 'default';
const EXAMPLES = {
  TEMPORAL_ADDRESS: 'TEMPORAL_ADDRESS=localhost:7233',
  TEMPORAL_TLS: 'TEMPORAL_TLS=true',
} as const;

/**
 * Temporal's own variables and profile file, through the SDK's environment configuration
 * (`@temporalio/envconfig`). Variables win over the file. Reports what the SDK would take silently, too.
 */
export function readTemporalSettings(env: NodeJS.ProcessEnv): {
  temporal: TemporalSettings;
  problems: Problem[];
} {
  const temporal: TemporalSettings = { address: DEFAULT_ADDRESS, namespace: DEFAULT_NAMESPACE };
  const problems = [...checkTls(env), ...checkPair(env)];
  let profile: ReturnType<typeof loadClientConfigProfile>;
  try {
    profile = loadClientConfigProfile({ overrideEnvVars: givenVariables(env) });
  } catch (error) {
    return { temporal, problems: [...problems, profileProblem(error, env)] };
  }
  try {
    const { connectionOptions, namespace } = toClientOptions(profile);
    const { address = DEFAULT_ADDRESS, tls, apiKey } = connectionOptions;
    problems.push(...checkAddress(address));
    Object.assign(temporal, {
      address,
      namespace: namespace ?? DEFAULT_NAMESPACE,
      ...(tls === undefined || tls === null ? {} : { tls }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(profile.grpcMeta === undefined ? {} : { metadata: profile.grpcMeta }),
    });
  } catch (error) {
    problems.push({ setting: certificateSetting(error, env), wrong: `cannot be read (${reason(error)})` });
  }
  return { temporal, problems };
}

/** An empty variable counts as not set; only TEMPORAL_GRPC_META_* may be empty on purpose (it removes a header). */
function givenVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (entry[1] !== '' || entry[0].startsWith('TEMPORAL_GRPC_META_')),
  );
  return Object.fromEntries(given);
}

function checkAddress(address: string): Problem[] {
  if (/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(:\d{1,5})?$/.test(address)) return [];
  const wrong = `is ${shown(address)}, but must be host:port, without a scheme or a path`;
  return [{ setting: 'TEMPORAL_ADDRESS', wrong, example: EXAMPLES.TEMPORAL_ADDRESS }];
}

/** The SDK takes everything but `1` and `true` for false, `yes` included. */
function checkTls(env: NodeJS.ProcessEnv): Problem[] {
  const value = env['TEMPORAL_TLS'];
  if (value === undefined || ['', '1', 'true', '0', 'false'].includes(value)) return [];
  const wrong = `is ${shown(value)}, but must be true or false`;
  return [{ setting: 'TEMPORAL_TLS', wrong, example: EXAMPLES.TEMPORAL_TLS }];
}

/** The SDK leaves a client certificate without its key out, silently. */
function checkPair(env: NodeJS.ProcessEnv): Problem[] {
  const has = (what: 'CERT' | 'KEY'): boolean =>
    Boolean(env[`TEMPORAL_TLS_CLIENT_${what}_PATH`] || env[`TEMPORAL_TLS_CLIENT_${what}_DATA`]);
  if (has('CERT') === has('KEY') || env['TEMPORAL_CONFIG_FILE']) return [];
  const [given, missing] = has('CERT') ? (['CERT', 'KEY'] as const) : (['KEY', 'CERT'] as const);
  return [
    {
      setting: `TEMPORAL_TLS_CLIENT_${missing}_PATH`,
      wrong: `is not set, but TEMPORAL_TLS_CLIENT_${given}_PATH (or _DATA) is: they belong together`,
      example: `TEMPORAL_TLS_CLIENT_${missing}_PATH=/etc/temporal/client.pem`,
    },
  ];
}

function profileProblem(error: unknown, env: NodeJS.ProcessEnv): Problem {
  const file = env['TEMPORAL_CONFIG_FILE'];
  const profile = env['TEMPORAL_PROFILE'];
  if (profile && error instanceof Error && error.message.startsWith('Profile ')) {
    return {
      setting: 'TEMPORAL_PROFILE',
      wrong: `is ${shown(profile)}, which the Temporal profile file does not have`,
      example: 'TEMPORAL_PROFILE=default',
    };
  }
  return {
    setting: file ? `TEMPORAL_CONFIG_FILE (${file})` : 'the Temporal profile file (temporal.toml)',
    wrong: `cannot be used (${reason(error)})`,
  };
}

/** Which variable named the certificate that could not be read. */
function certificateSetting(error: unknown, env: NodeJS.ProcessEnv): string {
  const path = error instanceof Error && 'path' in error ? error.path : undefined;
  const [name] =
    Object.entries(env).find(([name, value]) => name.startsWith('TEMPORAL_TLS_') && value === path) ?? [];
  return name ?? 'the TLS part of the Temporal profile file';
}

/** A TOML error quotes the lines around the mistake, which may hold a key: only its place is told. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('line' in error && 'column' in error)
    return `no valid TOML at line ${String(error.line)}, column ${String(error.column)}`;
  return 'code' in error ? String(error.code) : error.message;
}
