import { isIP } from 'node:net';
import { shown } from '../api/shown.ts';
import { type OutputLocation, parseOutputLocation } from '../outputs/output-location.ts';
import { parseSecret, UnusableSecretError } from '../webhooks/secrets.ts';

/** A value that was read, or what is wrong with it (reads on from the variable's name; never holds a secret). */
export type Parsed<T> = { value: T } | { wrong: string };

export interface Variable<T> {
  name: string;
  example: string;
  parse: (text: string, env: NodeJS.ProcessEnv) => Parsed<T>;
}

/** Where the media API is. The value is not repeated in messages: people paste keys into the wrong line. */
export const API_URL: Variable<string> = {
  name: 'DARKROOM_API_URL',
  example: 'DARKROOM_API_URL=https://api.example.com/api/v1',
  parse(text) {
    const parsed = parseBaseUrl(text);
    if ('wrong' in parsed) return parsed;
    if (parsed.value.endsWith('/api/v1')) return parsed;
    return { wrong: `must end in /api/v1; its path is ${shown(new URL(parsed.value).pathname)}` };
  },
};

/** Where the Temporal Web UI is: links are made of it. */
export const UI_URL: Variable<string> = {
  name: 'TEMPORAL_UI_URL',
  example: 'TEMPORAL_UI_URL=http://127.0.0.1:8233',
  parse: parseBaseUrl,
};

/** An http(s) URL that paths are put behind; without a slash at its end. */
function parseBaseUrl(text: string): Parsed<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return { wrong: 'is not an http(s) URL' };
  }
  if (url.username !== '' || url.password !== '') return { wrong: 'must not hold a user name or password' };
  if (url.search !== '' || url.hash !== '') return { wrong: 'must not have a query or a fragment' };
  return { value: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

export const API_KEY: Variable<string> = {
  name: 'DARKROOM_API_KEY',
  example: "DARKROOM_API_KEY=<a key from the developer dashboard's API Keys section>",
  parse: parseApiKey,
};

/** Shared with the keys in DARKROOM_CONFIG: what can stand in a header after `Bearer `. */
export function parseApiKey(text: string): Parsed<string> {
  if (/^bearer\s/i.test(text)) return { wrong: 'is to be the key alone, without "Bearer " before it' };
  if (!/^[\x21-\x7e]+$/.test(text)) {
    return { wrong: 'holds a space, a line break or another character that a header cannot carry' };
  }
  return { value: text };
}

/** All active secrets of the default workspace. */
export const WEBHOOK_SECRET: Variable<string[]> = {
  name: 'DARKROOM_WEBHOOK_SECRET',
  example: 'DARKROOM_WEBHOOK_SECRET=whsec_<base64 of at least 24 bytes>[,<another one, while rotating>]',
  parse(text) {
    const entries = text.split(',').map((one) => one.trim());
    // A list that a program has written may end in a comma.
    const secrets = [...new Set(entries.filter((one) => one !== ''))];
    if (secrets.length === 0) return { wrong: 'holds commas and no secret' };
    for (const [index, secret] of secrets.entries()) {
      const wrong = whatIsWrongWithSecret(secret);
      if (wrong !== undefined) {
        return {
          wrong:
            secrets.length === 1
              ? wrong
              : `has ${secrets.length} secrets, of which number ${index + 1} ${wrong}`,
        };
      }
    }
    return { value: secrets };
  },
};

/** Undefined when the receiver can use it. */
export function whatIsWrongWithSecret(secret: string): string | undefined {
  try {
    parseSecret(secret);
    return undefined;
  } catch (error) {
    if (error instanceof UnusableSecretError) return `cannot be used: ${error.message}`;
    throw error;
  }
}

export const WEBHOOK_PORT: Variable<number> = {
  name: 'DARKROOM_WEBHOOK_PORT',
  example: 'DARKROOM_WEBHOOK_PORT=8787',
  parse(text) {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (port <= 65_535) return { value: port };
    return { wrong: `is ${shown(text)}, but must be a port: a whole number from 0 (any free one) to 65535` };
  },
};

export const WEBHOOK_HOST: Variable<string> = {
  name: 'DARKROOM_WEBHOOK_HOST',
  example: 'DARKROOM_WEBHOOK_HOST=0.0.0.0',
  parse(text) {
    const host = text.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0 || /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(host)) return { value: host };
    return { wrong: `is ${shown(text)}, but must be an address or a host name to listen on, without a port` };
  },
};

export const TASK_QUEUE: Variable<string> = {
  name: 'DARKROOM_TASK_QUEUE',
  example: 'DARKROOM_TASK_QUEUE=darkroom',
  parse(text) {
    if (/^[\w./:-]{1,200}$/.test(text) && !text.startsWith('/_')) return { value: text };
    return { wrong: `is ${shown(text)}, but must be 1 to 200 letters, digits and . _ - / :` };
  },
};

/** Whether a bucket stands in the path; `parseOutputLocation` has the default. */
export const S3_PATH_STYLE: Variable<boolean> = {
  name: 'DARKROOM_S3_PATH_STYLE',
  example: 'DARKROOM_S3_PATH_STYLE=true',
  parse(text) {
    if (text === 'true' || text === 'false') return { value: text === 'true' };
    return { wrong: `is ${shown(text)}, but must be true or false` };
  },
};

export const OUTPUTS: Variable<OutputLocation> = {
  name: 'DARKROOM_OUTPUTS',
  example: 'DARKROOM_OUTPUTS=./outputs (or file:///srv/outputs, or s3://bucket/prefix)',
  parse(text, env) {
    const location = parseOutputLocation(text, env);
    return typeof location === 'string' ? { wrong: location } : { value: location };
  },
};

/** Whether outputs may be fetched from private and loopback addresses. */
export const PRIVATE_OUTPUTS: Variable<boolean> = {
  name: 'DARKROOM_PRIVATE_OUTPUTS',
  example: 'DARKROOM_PRIVATE_OUTPUTS=allow',
  parse(text) {
    if (text === 'allow' || text === 'refuse') return { value: text === 'allow' };
    return { wrong: `is ${shown(text)}, but must be allow or refuse` };
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

/** Every variable of Darkroom's own, to tell a mistyped one from somebody else's. */
export const VARIABLE_NAMES: readonly string[] = [
  API_URL,
  API_KEY,
  WEBHOOK_SECRET,
  WEBHOOK_PORT,
  WEBHOOK_HOST,
  TASK_QUEUE,
  OUTPUTS,
  PRIVATE_OUTPUTS,
  CONFIG_FILE,
  S3_PATH_STYLE,
  { name: 'DARKROOM_CACHE' }, // where src/local keeps the Temporal server
].map(({ name }) => name);
