import { existsSync } from 'node:fs';
import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { shown } from '../api/text/shown.ts';
import { DEFAULT_ADDRESS, DEFAULT_NAMESPACE, type TemporalSettings } from '../temporal/settings.ts';
import type { Problem } from './config-error.ts';
import { parseApiKey } from './variables.ts';

const EXAMPLES = {
  TEMPORAL_ADDRESS: 'TEMPORAL_ADDRESS=localhost:7233',
  TEMPORAL_NAMESPACE: 'TEMPORAL_NAMESPACE=default',
  TEMPORAL_TLS: 'TEMPORAL_TLS=true',
  TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION=false',
  TEMPORAL_API_KEY: 'TEMPORAL_API_KEY=<the key alone>',
  TEMPORAL_CONFIG_FILE: 'TEMPORAL_CONFIG_FILE=/etc/temporal/temporal.toml',
} as const;
/** What stands in for a variable where the profile file said it. */
const PROFILE_FILE = 'the Temporal profile file (temporal.toml)';

/**
 * Temporal's own variables and profile file, through the SDK's environment configuration
 * (`@temporalio/envconfig`). Variables win over the file. Reports what the SDK would take silently, too.
 */
export function readTemporalSettings(env: NodeJS.ProcessEnv): {
  temporal: TemporalSettings;
  problems: Problem[];
} {
  const temporal: TemporalSettings = { address: DEFAULT_ADDRESS, namespace: DEFAULT_NAMESPACE };
  const problems = [...checkFlags(env), ...checkPair(env), ...checkFile(env)];
  let profile: ReturnType<typeof loadClientConfigProfile>;
  try {
    profile = loadClientConfigProfile({ overrideEnvVars: givenVariables(env) });
  } catch (error) {
    return { temporal, problems: [...problems, profileProblem(error, env)] };
  }
  try {
    const { connectionOptions, namespace } = toClientOptions(profile);
    const { address = DEFAULT_ADDRESS, tls, apiKey } = connectionOptions;
    problems.push(
      ...checkAddress(address, env),
      ...checkNamespace(namespace ?? DEFAULT_NAMESPACE),
      ...checkApiKey(apiKey, env),
      ...checkKeyIsHidden(apiKey, tls, env),
      ...checkMetadata(profile.grpcMeta ?? {}),
    );
    Object.assign(temporal, {
      address,
      namespace: namespace ?? DEFAULT_NAMESPACE,
      ...(tls === undefined || tls === null ? {} : { tls }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(profile.grpcMeta === undefined ? {} : { metadata: profile.grpcMeta }),
    });
  } catch (error) {
    const setting = certificateSetting(error, env);
    const variable = setting.startsWith('TEMPORAL_') ? setting : 'TEMPORAL_TLS_CLIENT_CERT_PATH';
    const example = `${variable}=/etc/temporal/client.pem`;
    problems.push({ setting, wrong: `cannot be read (${reason(error)})`, example });
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

function checkAddress(address: string, env: NodeJS.ProcessEnv): Problem[] {
  const match = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?$/.exec(address);
  const port = Number(match?.[1] ?? 7233);
  if (match !== null && port > 0 && port <= 65_535) return [];
  const wrong = `is ${shown(address)}, but must be host:port, without a scheme or a path, and the port at most 65535`;
  return [saidBy('TEMPORAL_ADDRESS', env, 'address', wrong)];
}

/** A blank at an end cannot be seen in the server's answer that there is no such namespace. */
function checkNamespace(namespace: string): Problem[] {
  if (namespace === namespace.trim()) return [];
  const wrong = `is ${shown(namespace)}, but must not begin or end with a blank`;
  return [{ setting: 'TEMPORAL_NAMESPACE', wrong, example: EXAMPLES.TEMPORAL_NAMESPACE }];
}

/** gRPC refuses such a key with a message that repeats it. A profile file may hold something else than a text. */
function checkApiKey(apiKey: unknown, env: NodeJS.ProcessEnv): Problem[] {
  if (apiKey === undefined || apiKey === null) return [];
  const parsed = typeof apiKey === 'string' ? parseApiKey(apiKey) : { wrong: 'must be a text' };
  return 'wrong' in parsed ? [saidBy('TEMPORAL_API_KEY', env, 'api_key', parsed.wrong)] : [];
}

/** Where nothing is said of TLS, a key switches it on: so somebody has switched it off. */
function checkKeyIsHidden(apiKey: unknown, tls: unknown, env: NodeJS.ProcessEnv): Problem[] {
  if (apiKey === undefined || tls !== false) return [];
  const off = env['TEMPORAL_TLS']
    ? `TEMPORAL_TLS=${env['TEMPORAL_TLS']}`
    : `tls.disabled in ${profileFile(env)}`;
  const wrong = `is there, but TLS is switched off (${off}): everybody on the way could read the key`;
  return [saidBy('TEMPORAL_API_KEY', env, 'api_key', wrong)];
}

/** As keys, headers may be secrets that gRPC would repeat. */
function checkMetadata(metadata: Readonly<Record<string, unknown>>): Problem[] {
  return Object.entries(metadata).flatMap(([name, value]) =>
    typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)
      ? []
      : {
          setting: `TEMPORAL_GRPC_META_${name.toUpperCase().replaceAll('-', '_')}`,
          wrong: 'holds a line break or another character that a header cannot carry',
          example: 'TEMPORAL_GRPC_META_TEAM=media',
        },
  );
}

/** A problem of the variable, or of the profile file's field where the variable is not set. */
function saidBy(
  variable: 'TEMPORAL_ADDRESS' | 'TEMPORAL_API_KEY',
  env: NodeJS.ProcessEnv,
  field: string,
  wrong: string,
): Problem {
  if (env[variable]) return { setting: variable, wrong, example: EXAMPLES[variable] };
  return { setting: `${field} in ${profileFile(env)}`, wrong, example: EXAMPLES[variable] };
}

function profileFile(env: NodeJS.ProcessEnv): string {
  const file = env['TEMPORAL_CONFIG_FILE'];
  return file ? `TEMPORAL_CONFIG_FILE (${file})` : PROFILE_FILE;
}

/** The SDK takes everything but `1` and `true` for false, `yes` included. */
function checkFlags(env: NodeJS.ProcessEnv): Problem[] {
  const flags = ['TEMPORAL_TLS', 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION'] as const;
  return flags.flatMap((setting) => {
    const value = env[setting];
    if (value === undefined || ['', '1', 'true', '0', 'false'].includes(value)) return [];
    return { setting, wrong: `is ${shown(value)}, but must be true or false`, example: EXAMPLES[setting] };
  });
}

/** The SDK goes on without a file that was asked for by name: on to a server on this machine, say. */
function checkFile(env: NodeJS.ProcessEnv): Problem[] {
  const file = env['TEMPORAL_CONFIG_FILE'];
  if (!file || existsSync(file)) return [];
  const setting = `TEMPORAL_CONFIG_FILE (${file})`;
  return [{ setting, wrong: 'does not exist', example: EXAMPLES.TEMPORAL_CONFIG_FILE }];
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
  const profile = env['TEMPORAL_PROFILE'];
  if (profile && error instanceof Error && error.message.startsWith('Profile ')) {
    return {
      setting: 'TEMPORAL_PROFILE',
      wrong: `is ${shown(profile)}, which the Temporal profile file does not have`,
      example: 'TEMPORAL_PROFILE=default',
    };
  }
  return {
    setting: profileFile(env),
    wrong: `cannot be used (${reason(error)})`,
    example: EXAMPLES.TEMPORAL_CONFIG_FILE,
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
