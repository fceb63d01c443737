import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { shown } from '../api/text/shown.ts';
import { DEFAULT_WORKSPACE } from '../contract/workflow-ids.ts';
import { RECEIVER_DEFAULTS } from '../webhooks/receiver-config.ts';
import { parseSecret, UnusableSecretError } from '../webhooks/signature/secrets.ts';
import type { SecretJudge } from './file-workspaces.ts';
import { CONFIG_FILE, type Parsed, parseApiKey, parseBaseUrl, type Variable } from './variables.ts';

/** Where the media API is. The value is not repeated in messages: people paste keys into the wrong line. */
export const API_URL: Variable<string> = {
  name: 'DARKROOM_API_URL',
  example: 'DARKROOM_API_URL=https://api.example.com/api/v1',
  parse(text, env) {
    const parsed = parseBaseUrl(text);
    if ('wrong' in parsed) return parsed;
    const { protocol, hostname, pathname } = new URL(parsed.value);
    if (!parsed.value.endsWith('/api/v1'))
      return { wrong: `must end in /api/v1; its path is ${shown(pathname)}` };
    if (protocol === 'http:' && !isLoopback(hostname) && env[PLAIN_API.name]?.trim() !== 'allow') {
      return {
        wrong: `is plain http:// to another machine, so that everybody on the way could read the API key; use https://, or set ${PLAIN_API.example} in a network of your own`,
      };
    }
    return parsed;
  },
};

function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** Whether the media API may be asked without TLS where it is not on this machine. */
export const PLAIN_API: Variable<boolean> = {
  name: 'DARKROOM_PLAIN_API',
  example: 'DARKROOM_PLAIN_API=allow',
  parse: allowOrRefuse,
};

export const API_KEY: Variable<string> = {
  name: 'DARKROOM_API_KEY',
  example: "DARKROOM_API_KEY=<a key from the developer dashboard's API Keys section>",
  parse: parseApiKey,
};

/** What holds the API key of a workspace, in words. */
export function apiKeySetting(workspace: string): string {
  return workspace === DEFAULT_WORKSPACE
    ? API_KEY.name
    : `the apiKey of workspace ${workspace} in ${CONFIG_FILE.name}`;
}

/** All active secrets of the default workspace, not judged yet: how strictly that is done, the file says. */
export const WEBHOOK_SECRET: Variable<string[]> = {
  name: 'DARKROOM_WEBHOOK_SECRET',
  example: 'DARKROOM_WEBHOOK_SECRET=whsec_<base64 of at least 24 bytes>[,<another one, while rotating>]',
  parse: parseSecrets,
};

/** What callbacks are signed with, every one of them. */
export const CALLBACK_SECRET: Variable<string[]> = {
  name: 'DARKROOM_CALLBACK_SECRET',
  example: 'DARKROOM_CALLBACK_SECRET=whsec_<base64 of at least 24 bytes>[,<another one, while rotating>]',
  parse(text) {
    const parsed = parseSecrets(text);
    if ('wrong' in parsed) return parsed;
    try {
      for (const secret of parsed.value) parseSecret(secret);
      return parsed;
    } catch (error) {
      if (!(error instanceof UnusableSecretError)) throw error;
      return { wrong: `cannot be used: ${error.message}` };
    }
  },
};

function parseSecrets(text: string): Parsed<string[]> {
  const entries = text.split(',').map((one) => one.trim());
  // A list that a program has written may end in a comma.
  const secrets = [...new Set(entries.filter((one) => one !== ''))];
  return secrets.length === 0 ? { wrong: 'holds commas and no secret' } : { value: secrets };
}

/** Undefined when the receiver can use it. */
export const whatIsWrongWithSecret: SecretJudge = (secret, workspace, rules) => {
  try {
    parseSecret(secret, rules?.secrets);
    return undefined;
  } catch (error) {
    if (!(error instanceof UnusableSecretError)) throw error;
    const relaxing = `workspaces.${workspace}.webhook.secrets: "any" in ${CONFIG_FILE.name} takes it`;
    return `cannot be used: ${error.message}${error.isWeak ? ` (${relaxing})` : ''}`;
  }
};

export const WEBHOOK_PORT = port('DARKROOM_WEBHOOK_PORT', RECEIVER_DEFAULTS.port);
export const WEBHOOK_HOST = host('DARKROOM_WEBHOOK_HOST');

/** Where `/healthz`, `/readyz` and `/metrics` are, apart from the webhooks. The port that such exporters mostly have. */
export const METRICS_PORT = port('DARKROOM_METRICS_PORT', 9464);
export const METRICS_HOST = host('DARKROOM_METRICS_HOST');

function port(name: string, usual: number): Variable<number> {
  return {
    name,
    example: `${name}=${usual}`,
    parse(text) {
      const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
      if (port <= 65_535) return { value: port };
      return {
        wrong: `is ${shown(text)}, but must be a port: a whole number from 0 (any free one) to 65535`,
      };
    },
  };
}

function host(name: string): Variable<string> {
  return {
    name,
    example: `${name}=0.0.0.0`,
    parse(text) {
      const host = text.replace(/^\[(.*)\]$/, '$1');
      if (isIP(host) !== 0 || /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(host)) return { value: host };
      return {
        wrong: `is ${shown(text)}, but must be an address or a host name to listen on, without a port`,
      };
    },
  };
}

/** Whether outputs may be fetched from private and loopback addresses. */
export const PRIVATE_OUTPUTS: Variable<boolean> = {
  name: 'DARKROOM_PRIVATE_OUTPUTS',
  example: 'DARKROOM_PRIVATE_OUTPUTS=allow',
  parse: allowOrRefuse,
};

/** When the dump was made from which Temporal's database was restored: what was bought since then, only the store tells. */
export const RESTORED_SINCE: Variable<number> = {
  name: 'DARKROOM_RESTORED_SINCE',
  example: 'DARKROOM_RESTORED_SINCE=2026-11-24T10:00Z',
  parse(text) {
    const time = TIME_WITH_ZONE.test(text) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(time) && time <= Date.now()) return { value: time };
    return { wrong: `is ${shown(text)}, but must be a past time with its zone` };
  },
};

const TIME_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The worker deployment that this worker is a version of; with `BUILD_ID` it switches worker versioning on. */
export const DEPLOYMENT_NAME: Variable<string> = {
  name: 'TEMPORAL_DEPLOYMENT_NAME',
  example: 'TEMPORAL_DEPLOYMENT_NAME=darkroom',
  parse: parseVersionPart,
};

export const BUILD_ID: Variable<string> = {
  name: 'TEMPORAL_WORKER_BUILD_ID',
  example: 'TEMPORAL_WORKER_BUILD_ID=1.0.0',
  parse: parseVersionPart,
};

function parseVersionPart(text: string): Parsed<string> {
  if (/^[\w+-][\w.+-]{0,127}$/.test(text)) return { value: text };
  return { wrong: `is ${shown(text)}, but must be 1 to 128 letters, digits and . _ + -` };
}

function allowOrRefuse(text: string): Parsed<boolean> {
  if (text === 'allow' || text === 'refuse') return { value: text === 'allow' };
  return { wrong: `is ${shown(text)}, but must be allow or refuse` };
}
