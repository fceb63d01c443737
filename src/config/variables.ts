import { shown } from '../api/text/shown.ts';

/** A value that was read, or what is wrong with it (reads on from the variable's name; never holds a secret). */
export type Parsed<T> = { value: T } | { wrong: string };

export interface Variable<T> {
  name: string;
  example: string;
  parse: (text: string, env: NodeJS.ProcessEnv) => Parsed<T>;
}

/** Where the Temporal Web UI is: links are made of it. */
export const UI_URL: Variable<string> = {
  name: 'TEMPORAL_UI_URL',
  example: 'TEMPORAL_UI_URL=http://127.0.0.1:8233',
  parse: parseBaseUrl,
};

/** An http(s) URL that paths are put behind; without a slash at its end. */
export function parseBaseUrl(text: string): Parsed<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return { wrong: 'is not an http(s) URL' };
  }
  if (url.username !== '' || url.password !== '') return { wrong: 'must not hold a user name or password' };
  if (url.search !== '' || url.hash !== '') return { wrong: 'must not have a query or a fragment' };
  return { value: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

/** Shared with the keys in DARKROOM_CONFIG: what can stand in a header after `Bearer `. */
export function parseApiKey(text: string): Parsed<string> {
  if (/^bearer\s/i.test(text)) return { wrong: 'is to be the key alone, without "Bearer " before it' };
  if (/^(?:".*"|'.*')$/.test(text))
    return { wrong: 'is in quotes, which would be sent with it: leave them out' };
  if (!/^[\x21-\x7e]+$/.test(text)) {
    return { wrong: 'holds a space, a line break or another character that a header cannot carry' };
  }
  return { value: text };
}

export const TASK_QUEUE: Variable<string> = {
  name: 'DARKROOM_TASK_QUEUE',
  example: 'DARKROOM_TASK_QUEUE=darkroom',
  parse(text) {
    if (/^[\w./:-]{1,200}$/.test(text) && !text.startsWith('/_')) return { value: text };
    return { wrong: `is ${shown(text)}, but must be 1 to 200 letters, digits and . _ - / :` };
  },
};

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** As pino has it. */
export const LOG_LEVEL: Variable<string> = {
  name: 'LOG_LEVEL',
  example: 'LOG_LEVEL=info',
  parse(text) {
    if (LOG_LEVELS.includes(text)) return { value: text };
    return { wrong: `is ${shown(text)}, but must be one of ${LOG_LEVELS.join(', ')}` };
  },
};

export const CONFIG_FILE: Variable<string> = {
  name: 'DARKROOM_CONFIG',
  example: 'DARKROOM_CONFIG=./darkroom.json',
  parse: (text) => ({ value: text }),
};

/** Planned, and not built: who sets it is not to find plain text in histories later. */
export const ENCRYPTION_KEYS: Variable<never> = {
  name: 'DARKROOM_ENCRYPTION_KEYS',
  example: 'unset DARKROOM_ENCRYPTION_KEYS',
  parse: () => ({ wrong: 'has no effect yet: payloads are not encrypted' }),
};

/** Every variable of Darkroom's own, to tell a mistyped one from somebody else's. */
export const VARIABLE_NAMES: readonly string[] = [
  'DARKROOM_API_URL',
  'DARKROOM_API_KEY',
  'DARKROOM_PLAIN_API',
  'DARKROOM_WEBHOOK_SECRET',
  'DARKROOM_CALLBACK_SECRET',
  'DARKROOM_ENCRYPTION_KEYS',
  'DARKROOM_WEBHOOK_PORT',
  'DARKROOM_WEBHOOK_HOST',
  'DARKROOM_METRICS_PORT',
  'DARKROOM_METRICS_HOST',
  'DARKROOM_TASK_QUEUE',
  'DARKROOM_OUTPUTS',
  'DARKROOM_PRIVATE_OUTPUTS',
  'DARKROOM_PUBLIC_OUTPUTS',
  'DARKROOM_CONFIG',
  'DARKROOM_RESTORED_SINCE',
  'DARKROOM_S3_PATH_STYLE',
  'DARKROOM_CACHE', // config/cache-directory.ts
];

/** Temporal's own, as `@temporalio/envconfig` reads them, and those that it gives a worker. */
export const TEMPORAL_NAMES: readonly string[] = [
  'TEMPORAL_ADDRESS',
  'TEMPORAL_API_KEY',
  'TEMPORAL_CODEC_AUTH',
  'TEMPORAL_CODEC_ENDPOINT',
  'TEMPORAL_CONFIG_FILE',
  'TEMPORAL_DEPLOYMENT_NAME',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_PROFILE',
  'TEMPORAL_TLS',
  'TEMPORAL_TLS_CLIENT_CERT_DATA',
  'TEMPORAL_TLS_CLIENT_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_KEY_DATA',
  'TEMPORAL_TLS_CLIENT_KEY_PATH',
  'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION',
  'TEMPORAL_TLS_SERVER_CA_CERT_DATA',
  'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  'TEMPORAL_TLS_SERVER_NAME',
  'TEMPORAL_UI_URL',
  'TEMPORAL_WORKER_BUILD_ID',
];
