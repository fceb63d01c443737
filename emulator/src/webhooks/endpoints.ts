import { randomUUID } from 'node:crypto';
import { EVENT_TYPES, type EventType } from '../../../src/api/events/event-types.ts';
import { Collection, type Keeping } from '../storage/collection.ts';
import { endpointUrl } from './endpoint-url.ts';
import { isSecret, newSecret } from './sign.ts';

interface Secret {
  value: string;
  /** By the emulator; false: it was given one, and prints it nowhere. */
  made: boolean;
  createdAt: number;
  /** After a rotation the old one goes on signing until then; null: the current one. */
  expiresAt: number | null;
}

/** Where the events of one workspace go. */
export interface Endpoint {
  id: string;
  workspace: string;
  url: string;
  /** Only these event types are sent. */
  events: EventType[];
  enabled: boolean;
  /** Newest first. */
  secrets: Secret[];
  createdAt: number;
}

export interface NewEndpoint {
  workspace: string;
  url: string;
  /** Default: all. */
  events?: readonly EventType[] | undefined;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** Default: a new one. */
  secret?: string | undefined;
}

/** The webhook endpoints, as the developer dashboard manages them. */
export class Endpoints extends Collection<Endpoint> {
  constructor(keeping: Keeping) {
    super(keeping, 'endpoints', 'endpoint');
  }

  /** The endpoints that want an event. */
  wanting(workspace: string, type: EventType): Endpoint[] {
    return this.all().filter(
      (endpoint) => endpoint.workspace === workspace && endpoint.enabled && endpoint.events.includes(type),
    );
  }

  /** @throws RangeError for a secret that is none, or a URL where no endpoint may be */
  create(wanted: NewEndpoint): Endpoint {
    const now = Date.now();
    if (wanted.secret !== undefined && !isSecret(wanted.secret)) {
      throw new RangeError('A webhook secret must be base64 of at least 24 bytes, with or without whsec_');
    }
    const url = endpointUrl.safeParse(wanted.url);
    if (!url.success) {
      throw new RangeError(`The URL of a webhook endpoint ${url.error.issues[0]?.message}: ${wanted.url}`);
    }
    const endpoint: Endpoint = {
      id: `ep_${randomUUID()}`,
      workspace: wanted.workspace,
      url: url.data,
      events: [...(wanted.events ?? EVENT_TYPES)],
      enabled: wanted.enabled ?? true,
      secrets: [secret(wanted.secret, now)],
      createdAt: now,
    };
    this.save(endpoint);
    return endpoint;
  }

  /** Makes a new secret; the one before it goes on signing for `overlapMs` beside it. */
  rotate(endpoint: Endpoint, overlapMs: number, given?: string): string {
    const now = Date.now();
    const latest = secret(given, now);
    const old = endpoint.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
    endpoint.secrets = [
      latest,
      ...old.map((one) => ({ ...one, expiresAt: one.expiresAt ?? now + overlapMs })),
    ];
    this.save(endpoint);
    return latest.value;
  }
}

function secret(given: string | undefined, now: number): Secret {
  return { value: given ?? newSecret(), made: given === undefined, createdAt: now, expiresAt: null };
}

/** The secrets that sign now, newest first. */
export function activeSecrets(endpoint: Endpoint, now: number): string[] {
  return endpoint.secrets
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .map(({ value }) => value);
}
