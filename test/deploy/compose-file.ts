import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What the tests look at in a service; the rest is the schema's to judge. */
export interface Service {
  image: string;
  build?: { context: string; target: string };
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string; required?: boolean }>;
  healthcheck?: { disable?: boolean; test?: string[] };
  profiles?: string[];
  ports?: string[];
  volumes?: string[];
  stop_grace_period?: string;
  deploy?: { replicas?: number };
}

export interface ComposeFile {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

/** docker-compose.yml as it is written, with its anchors resolved. */
export function readComposeFile(): ComposeFile {
  // The schema's test says whether it is one.
  return parse(readFileSync(`${ROOT}docker-compose.yml`, 'utf8'), { merge: true }) as ComposeFile;
}

/** A variable that docker-compose.yml takes from `.env`: `${NAME}`, `${NAME:-default}` or `${NAME:?message}`. */
const TAKEN = /\$\{(?<name>\w+)(?::(?<kind>[-?])(?<rest>[^}]*))?\}/g;

/**
 * A value with its variables filled in, as Compose does it.
 *
 * @throws Error where a required one is missing or empty
 */
export function interpolate(text: string, settings: Readonly<Record<string, string>>): string {
  return text.replace(TAKEN, (_, name: string, kind: string | undefined, rest: string | undefined) => {
    const value = settings[name] ?? '';
    if (value === '' && kind === '?') throw new Error(`${name}: ${rest}`);
    return value === '' && kind === '-' ? (rest ?? '') : value;
  });
}

/** The names of all variables that a text takes from `.env`, with what stands in for a missing one. */
export function taken(text: string): { name: string; required: boolean; fallback: string }[] {
  return [...text.matchAll(TAKEN)].map(({ groups = {} }) => ({
    name: groups['name'] ?? '',
    required: groups['kind'] === '?',
    fallback: groups['kind'] === '-' ? (groups['rest'] ?? '') : '',
  }));
}
