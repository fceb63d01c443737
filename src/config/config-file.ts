import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { closest } from '../api/closest.ts';
import { isRecord } from '../api/is-record.ts';
import { type ModelOverrides, modelOverridesSchema } from '../api/models/override.ts';
import { shownName } from '../api/shown.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import type { Problem } from './config-error.ts';
import { findJsonMistake } from './json-mistake.ts';
import { CONFIG_FILE, parseApiKey } from './variables.ts';

/** Names a URL's segment, a part of workflow ids, and a fairness key (64 bytes at most). */
const WORKSPACE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

const apiKey = z.string().superRefine((key, context) => {
  const parsed = parseApiKey(key);
  if ('wrong' in parsed) context.addIssue({ code: 'custom', message: parsed.wrong });
});

const workspaceSchema = z
  .strictObject({
    apiKey: apiKey.optional(),
    webhookSecret: z.string().optional(),
    webhookSecrets: z.array(z.string()).optional(),
    legacy: z.enum(['refuse', 'accept']).optional(),
  })
  .refine(
    ({ webhookSecret, webhookSecrets }) => webhookSecret === undefined || webhookSecrets === undefined,
    {
      message: 'has both webhookSecret and webhookSecrets; write one of them',
    },
  );

const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  workspaces: z
    .record(
      z.string().regex(WORKSPACE_NAME, 'must be named with letters, digits, . _ and -, at most 64 of them'),
      workspaceSchema,
    )
    .optional(),
  models: modelOverridesSchema.optional(),
  policy: z.unknown().optional(),
  webhook: z
    .strictObject({
      maxBodyBytes: z
        .int()
        .min(1_024)
        .max(64 * 1_024 * 1_024)
        .optional(),
    })
    .optional(),
});

/** A workspace as the file has it; every field may be missing. */
interface FileWorkspace {
  apiKey: string | undefined;
  webhookSecrets: string[] | undefined;
  legacy: 'refuse' | 'accept' | undefined;
}

/** What DARKROOM_CONFIG's file holds. */
export interface ConfigFile {
  workspaces: ReadonlyMap<string, FileWorkspace>;
  models: ModelOverrides;
  /** The policy's subset as it was written, checked. */
  policy: unknown;
  maxBodyBytes: number | undefined;
}

export const NO_FILE: ConfigFile = { workspaces: new Map(), models: {}, policy: {}, maxBodyBytes: undefined };

/**
 * Reads and checks the file; what is wrong is reported with its path in it, and never with a value.
 *
 * @param whatIsWrongWithSecret judges webhook secrets, for programs that use them
 */
export function readConfigFile(
  path: string,
  whatIsWrongWithSecret: (secret: string) => string | undefined = () => undefined,
): { file: ConfigFile; problems: Problem[] } {
  const setting = `${CONFIG_FILE.name} (${path})`;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const { example } = CONFIG_FILE;
    return { file: NO_FILE, problems: [{ setting, wrong: `cannot be read (${code})`, example }] };
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    const wrong = `is not valid JSON at ${findJsonMistake(text)}`;
    return { file: NO_FILE, problems: [{ setting, wrong, example: fileExample('') }] };
  }
  const parsed = fileSchema.safeParse(json, { error: message });
  const policy = isRecord(json) ? json['policy'] : undefined;
  const problems = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => ({
      path: path.map(String).join('.'),
      message,
    })),
    ...parsePolicy(policy, DEFAULT_POLICY).errors,
    ...secretsIn(parsed.data).flatMap(({ path, secret }) => {
      const message = whatIsWrongWithSecret(secret);
      return message === undefined ? [] : [{ path, message }];
    }),
  ].map(({ path, message }) => ({
    setting,
    wrong: `${path === '' ? 'the file' : shownName(path)} ${message}`,
    example: fileExample(path),
  }));
  if (!parsed.success) return { file: NO_FILE, problems };
  const { workspaces = {}, models = {}, webhook } = parsed.data;
  const file: ConfigFile = {
    workspaces: new Map(
      Object.entries(workspaces).map(([name, { apiKey, webhookSecret, webhookSecrets, legacy }]) => [
        name,
        { apiKey, legacy, webhookSecrets: webhookSecret === undefined ? webhookSecrets : [webhookSecret] },
      ]),
    ),
    models,
    policy: policy ?? {},
    maxBodyBytes: webhook?.maxBodyBytes,
  };
  return { file, problems };
}

/** Every webhook secret with its path. */
function secretsIn(file: z.infer<typeof fileSchema> | undefined): { path: string; secret: string }[] {
  return Object.entries(file?.workspaces ?? {}).flatMap(([name, { webhookSecret, webhookSecrets = [] }]) => [
    ...(webhookSecret === undefined
      ? []
      : [{ path: `workspaces.${name}.webhookSecret`, secret: webhookSecret }]),
    ...webhookSecrets.map((secret, index) => ({
      path: `workspaces.${name}.webhookSecrets.${index}`,
      secret,
    })),
  ]);
}

/** What a part of the file looks like, as one would write it. */
const FILE_EXAMPLES = {
  workspaces: '{ "workspaces": { "studio": { "apiKey": "<key>", "webhookSecret": "whsec_<base64>" } } }',
  models: '{ "models": { "image-l": { "path": "generation/<provider>/<model>", "passUnknown": true } } }',
  policy: '{ "policy": { "deadline": "20m", "reconcile": { "otherwise": "resubmit" } } }',
  webhook: '{ "webhook": { "maxBodyBytes": 1048576 } }',
} as const;

/** An example for what is wrong at a path of the file. */
export function fileExample(path: string): string {
  const [part = ''] = path.split('.', 1);
  return part in FILE_EXAMPLES ? FILE_EXAMPLES[part as keyof typeof FILE_EXAMPLES] : FILE_EXAMPLES.policy; // just checked
}

/** The fields that a path in the file allows, for suggestions. */
function knownKeys(path: readonly PropertyKey[]): string[] {
  if (path.length === 0) return Object.keys(fileSchema.shape);
  if (path[0] === 'workspaces') return Object.keys(workspaceSchema.shape);
  if (path[0] === 'models') return ['path', 'fields', 'passUnknown'];
  return ['maxBodyBytes'];
}

/** What is wrong, in words that read on from the path; undefined keeps the schema's own message. */
function message(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return unknownFields(issue.keys ?? [], issue.path ?? []);
  if (issue.code === 'invalid_type') return `must be ${article(issue.expected)}`;
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(quoted).join(' or ')}`;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message;
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`;
  return issue.code === 'too_big' ? `must be at most ${issue.maximum}` : undefined;
}

function unknownFields(keys: readonly string[], path: readonly PropertyKey[]): string {
  const known = knownKeys(path).filter((key) => key !== '$schema');
  const words = keys.map((key) => {
    const meant = closest(key, known);
    return `has an unknown field ${shownName(key)}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
  });
  return `${words.join(', ')}; known: ${known.join(', ')}`;
}

function quoted(value: unknown): string {
  return JSON.stringify(value);
}

function article(type: string): string {
  const word = type === 'record' ? 'object' : type === 'int' ? 'integer' : type;
  if (word === 'array') return 'a list';
  return /^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`;
}
