import leven from 'leven';
import { policyDoubts } from '../policy/doubtful-policy.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import { whyGuessable } from '../webhooks/signature/secrets.ts';
import { CONFIG_FILE, LOG_LEVEL, TEMPORAL_NAMES, VARIABLE_NAMES } from './variables.ts';
import type { Config } from './worker-config.ts';
import { WEBHOOK_SECRET } from './worker-variables.ts';

/** Other words for a setting, without their underscores; they only count where the setting itself is not there. */
const ALIKE: Readonly<Record<string, string>> = {
  ...words(
    'TEMPORAL_ADDRESS',
    'ADDR HOST HOSTPORT HOSTURL SERVER SERVERADDRESS URL URI ENDPOINT GRPCENDPOINT GRPCADDRESS',
  ),
  ...words('TEMPORAL_NAMESPACE', 'CLOUDNAMESPACE NS'),
  ...words('TEMPORAL_API_KEY', 'CLOUDAPIKEY KEY TOKEN'),
  ...words('TEMPORAL_TLS_CLIENT_CERT_PATH', 'TLSCERT TLSCERTPATH CLIENTCERT CLIENTCERTPATH CERTPATH'),
  ...words('TEMPORAL_TLS_CLIENT_KEY_PATH', 'TLSKEY TLSKEYPATH CLIENTKEY CLIENTKEYPATH KEYPATH'),
  ...words('DARKROOM_TASK_QUEUE', 'TASKQUEUE'),
};

function words(setting: string, others: string): Record<string, string> {
  return Object.fromEntries(others.split(' ').map((other) => [`TEMPORAL${other}`, setting]));
}

/** Letters of a name that may be wrong. */
const WRONG_LETTERS = 2;
/** What Kubernetes sets for a service that is called `darkroom`. */
const OF_KUBERNETES = /_SERVICE_(HOST|PORT)|_PORT_\d+_/;
const PORT_OF_KUBERNETES = /^(tcp|udp|sctp):\/\//;

/**
 * What is set and can be used, but can hardly be meant: a line each, to be said when a worker starts. A line holds no
 * value of a variable.
 */
export function doubtfulSettings(config: Config, env: NodeJS.ProcessEnv = process.env): string[] {
  return [
    ...doubtfulNames(env),
    ...withoutSecrets(config),
    ...guessableSecrets(config),
    ...doubtfulPolicy(config),
  ];
}

/** Variables that look like a setting and are none: they have no effect. */
function doubtfulNames(env: NodeJS.ProcessEnv): string[] {
  const known = [...VARIABLE_NAMES, ...TEMPORAL_NAMES];
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || !env[name]) return [];
    const alike = name.startsWith('TEMPORAL_') ? ALIKE[bare(name)] : undefined;
    const meant = alike === undefined ? nearMiss(name, known) : env[alike] ? undefined : alike;
    if (meant !== undefined) return [`${name} is not a setting and has no effect (did you mean ${meant}?)`];
    return name.startsWith('DARKROOM_') &&
      !OF_KUBERNETES.test(name) &&
      !PORT_OF_KUBERNETES.test(env[name] ?? '')
      ? [`${name} is not a setting and has no effect${likeliest(name)}`]
      : [];
  });
}

/** `TEMPORAL_NAME_SPACE`, `darkroom_api_key`, `DAKROOM_API_URL`: the same name, but for a letter or two. */
function nearMiss(name: string, known: readonly string[]): string | undefined {
  return known.find((one) => leven(bare(name), bare(one)) <= WRONG_LETTERS);
}

/** Of two names with our prefix, a common beginning tells, too: `DARKROOM_OUTPUT_DIR`; or the end: `DARKROOM_KEY`. */
function likeliest(name: string): string {
  const shared = (one: string): number => {
    let length = 0;
    while (length < one.length && one[length] === name[length]) length += 1;
    return length;
  };
  const end = name.slice('DARKROOM'.length);
  const [best = ''] = [...VARIABLE_NAMES].sort((a, b) => shared(b) - shared(a));
  const meant =
    shared(best) > 'DARKROOM_'.length + 3
      ? best
      : [...VARIABLE_NAMES, ...TEMPORAL_NAMES, LOG_LEVEL.name].find((one) => `_${one}`.endsWith(end));
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

function bare(name: string): string {
  return name.toUpperCase().replaceAll('_', '');
}

function withoutSecrets({ workspaces }: Config): string[] {
  const names = [...workspaces].filter(([, { webhookSecrets }]) => webhookSecrets.length === 0);
  if (names.length === 0) return [];
  const which = names.map(([name]) => name).join(', ');
  return [
    `no webhook secret for workspace ${which}: its webhooks are refused, and its tasks are found by polling alone; set ${WEBHOOK_SECRET.name}, or webhookSecret in ${CONFIG_FILE.name}`,
  ];
}

function guessableSecrets({ workspaces, callbacks }: Config): string[] {
  const ofWorkspaces = [...workspaces].flatMap(([name, { webhookSecrets }]) =>
    webhookSecrets.map((secret) => [`webhook secret of workspace ${name}`, secret] as const),
  );
  const ofCallbacks = callbacks?.secrets.map((secret) => ['callback secret', secret] as const) ?? [];
  return [...ofWorkspaces, ...ofCallbacks].flatMap(([what, secret]) => {
    const why = whyGuessable(secret);
    return why === undefined ? [] : `a ${what} can be guessed: ${why}`;
  });
}

function doubtfulPolicy({ policy }: Config): string[] {
  return policyDoubts(parsePolicy(policy, DEFAULT_POLICY).policy).map(
    ({ path, message }) => `${path} in ${CONFIG_FILE.name} ${message}`,
  );
}
