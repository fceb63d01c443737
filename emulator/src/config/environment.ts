import { readFileSync } from 'node:fs';
import leven from 'leven';
import { z } from 'zod';
import { modelOverridesSchema } from '../../../src/api/models/override.ts';
import { DEFAULT_WORKSPACE } from '../accounts/start-accounts.ts';
import { assumptionsSchema } from '../assumptions.ts';
import { faultRuleSchema } from '../faults/rule.ts';
import type { EmulatorOptions } from '../options.ts';
import { endpointUrl } from '../webhooks/endpoint-url.ts';
import { isSecret } from '../webhooks/sign.ts';
import { strict } from './strict.ts';

/** A variable of the environment is wrong; the message names it, says what was wrong and gives an example. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** A number as people write it. `Number` alone would take a blank for 0 and `0x10` for 16. */
const numeral = z
  .string()
  .trim()
  .regex(/^-?\d+(\.\d+)?$/)
  .transform(Number);

/** What each variable takes, and an example for who got it wrong. */
const VARIABLES = {
  EMULATOR_PORT: {
    schema: numeral.pipe(z.int().min(0).max(65_535)),
    takes: 'a port, 0 for a free one',
    example: '4010',
  },
  EMULATOR_HOST: { schema: z.string().min(1), takes: 'an address of this machine', example: '127.0.0.1' },
  EMULATOR_PUBLIC_URL: {
    schema: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
    takes: 'the http(s) URL that clients reach the emulator under',
    example: 'http://emulator:4010',
  },
  EMULATOR_DB: {
    schema: z.string().min(1),
    takes: 'a file that keeps the state over a restart',
    example: 'emulator.db',
  },
  EMULATOR_SPEED: { schema: numeral.pipe(z.number().positive()), takes: 'a factor above 0', example: '10' },
  EMULATOR_SEED: { schema: numeral.pipe(z.int()), takes: 'a whole number', example: '7' },
  EMULATOR_MEDIA: { schema: z.enum(['rendered', 'tiny']), takes: '"rendered" or "tiny"', example: 'tiny' },
  EMULATOR_API_KEY: {
    schema: z.string().min(8),
    takes: 'at least 8 characters',
    example: 'dk_local_my-own-key',
  },
  EMULATOR_WEBHOOK_URL: {
    schema: endpointUrl,
    takes: 'the http(s) URL of a webhook receiver, at no link-local address or cloud metadata service',
    example: 'http://127.0.0.1:8787/webhooks',
  },
  EMULATOR_WEBHOOK_SECRET: {
    schema: z.string().refine(isSecret),
    takes: 'base64 of at least 24 bytes, with or without whsec_ before it',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  },
  EMULATOR_FAULTS: {
    schema: z.string().min(1),
    takes: 'a JSON file with a list of fault rules',
    example: 'faults.json',
  },
  EMULATOR_CONFIG: {
    schema: z.string().min(1),
    takes: 'a JSON file with assumptions and models',
    example: 'emulator.json',
  },
  EMULATOR_OPEN_CONTROL: {
    schema: z.enum(['yes', 'no']),
    takes: '"yes" to let other machines use the control API, or "no"',
    example: 'no',
  },
} as const;

/** The names of all variables that the emulator reads. */
export const EMULATOR_VARIABLES: readonly string[] = Object.keys(VARIABLES);

/** A line or two for each variable: what it takes, and an example. */
export function describeVariables(): string {
  return Object.entries(VARIABLES)
    .map(([name, { takes, example }]) => `  ${name}=${example}\n      ${takes}`)
    .join('\n');
}

type Name = keyof typeof VARIABLES;
type Value<N extends Name> = z.output<(typeof VARIABLES)[N]['schema']>;

/**
 * The options that the environment asks for. Empty variables count as unset.
 *
 * @throws EnvironmentError for the first variable that is wrong, or looks like one of ours, mistyped
 */
export function readEnvironment(environment: NodeJS.ProcessEnv): EmulatorOptions {
  refuseMistyped(environment);
  const read = <N extends Name>(name: N): Value<N> | undefined => readVariable(environment, name);
  const apiKey = read('EMULATOR_API_KEY');
  const url = read('EMULATOR_WEBHOOK_URL');
  const secret = read('EMULATOR_WEBHOOK_SECRET');
  if (url === undefined && secret !== undefined) {
    throw new EnvironmentError(
      'EMULATOR_WEBHOOK_SECRET is set but EMULATOR_WEBHOOK_URL is not: set both or none',
    );
  }
  return {
    ...readFile('EMULATOR_CONFIG', read('EMULATOR_CONFIG')),
    port: read('EMULATOR_PORT'),
    host: read('EMULATOR_HOST'),
    publicUrl: read('EMULATOR_PUBLIC_URL'),
    dbFile: read('EMULATOR_DB'),
    speed: read('EMULATOR_SPEED'),
    seed: read('EMULATOR_SEED'),
    media: read('EMULATOR_MEDIA'),
    openControl: read('EMULATOR_OPEN_CONTROL') === 'yes',
    accounts: [{ workspace: DEFAULT_WORKSPACE, apiKey }],
    endpoints: url === undefined ? [] : [{ workspace: DEFAULT_WORKSPACE, url, secret }],
    faults: readFile('EMULATOR_FAULTS', read('EMULATOR_FAULTS')),
  };
}

/** A variable that is called nearly as one of ours would have no effect, silently. */
function refuseMistyped(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('EMULATOR') || name in VARIABLES || environment[name] === '') continue;
    const meant = EMULATOR_VARIABLES.find((known) => leven(name, known) <= 2);
    if (meant !== undefined) {
      throw new EnvironmentError(`${name} is not a variable of the emulator; did you mean ${meant}?`);
    }
  }
}

function readVariable<N extends Name>(environment: NodeJS.ProcessEnv, name: N): Value<N> | undefined {
  const text = environment[name];
  if (text === undefined || text === '') return undefined;
  const { schema, takes, example } = VARIABLES[name];
  const result = schema.safeParse(text);
  if (result.success) return result.data as Value<N>; // this variable's own schema made it
  const shown =
    name === 'EMULATOR_API_KEY' || name === 'EMULATOR_WEBHOOK_SECRET' ? '' : `, not ${JSON.stringify(text)}`;
  throw new EnvironmentError(`${name} must be ${takes}${shown}. Example: ${name}=${example}`);
}

/** What each file holds, in words and as an example for who got it wrong. */
const FILES = {
  EMULATOR_FAULTS: {
    schema: z.array(faultRuleSchema),
    holds: 'a list of fault rules',
    example: '[{ "on": "submit", "nth": 1, "fault": { "kind": "lost-after" } }]',
  },
  EMULATOR_CONFIG: {
    schema: strict({ assumptions: assumptionsSchema.optional(), models: modelOverridesSchema.optional() }),
    holds: 'an object with assumptions and models',
    example:
      '{ "assumptions": { "submitStatus": 202 }, "models": { "image-l": { "path": "generation/acme/image" } } }',
  },
} as const;

type FileName = keyof typeof FILES;
type Content<N extends FileName> = z.output<(typeof FILES)[N]['schema']>;

/**
 * What a variable's JSON file holds.
 *
 * @throws EnvironmentError naming the variable, the file, and what in it is wrong
 */
function readFile<N extends FileName>(name: N, file: string | undefined): Content<N> | undefined {
  if (file === undefined) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EnvironmentError(`${name}: the file ${file} cannot be read: ${why}`, { cause: error });
  }
  const { schema, holds, example } = FILES[name];
  const result = schema.safeParse(content);
  if (result.success) return result.data as Content<N>; // this file's own schema made it
  const wrong = result.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  throw new EnvironmentError(`${name}: ${file} is not ${holds}: ${wrong.join('; ')}. Example: ${example}`);
}
