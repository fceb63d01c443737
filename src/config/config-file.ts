import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isRecord } from '../api/json/is-record.ts';
import { type ModelOverrides, modelOverridesSchema, templateFieldSchema } from '../api/models/override.ts';
import { MODEL_IDS } from '../api/models/registry.ts';
import { closest } from '../api/text/closest.ts';
import { shownName } from '../api/text/shown.ts';
import { callbackUrl } from '../contract/callback.ts';
import type { Cap } from '../policy/caps.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import type { Problem } from './config-error.ts';
import { CAP_FIELDS, capsSchema } from './file-caps.ts';
import {
  type FileWorkspace,
  judgeSecrets,
  knownWorkspaceFields,
  readWorkspaces,
  type SecretJudge,
  workspacesSchema,
} from './file-workspaces.ts';
import { findJsonMistake } from './json-mistake.ts';
import { CONFIG_FILE } from './variables.ts';

/** What a callback may lie below. */
function isPrefix(text: string): boolean {
  const url = callbackUrl(text);
  return url !== undefined && url.search === '' && url.hash === '';
}

const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  workspaces: workspacesSchema.optional(),
  models: modelOverridesSchema.optional(),
  templateField: templateFieldSchema.optional(),
  policy: z.unknown().optional(),
  caps: capsSchema.optional(),
  callbacks: z
    .array(z.string().refine(isPrefix, 'must be an http(s) URL without a query'))
    .max(100)
    .optional(),
  webhook: z
    .strictObject({
      maxBodyBytes: z
        .int()
        .min(1_024)
        .max(64 * 1_024 * 1_024)
        .optional(),
      rememberedIds: z.int().min(1_000).max(10_000_000).optional(),
    })
    .optional(),
});

/** What DARKROOM_CONFIG's file holds. */
export interface ConfigFile {
  workspaces: ReadonlyMap<string, FileWorkspace>;
  models: ModelOverrides;
  /** The policy's subset as it was written, checked. */
  policy: unknown;
  caps: readonly Cap[];
  /** URLs that callbacks may lie below. */
  callbacks: readonly string[];
  /** The receiver's, for all workspaces. */
  webhook: { maxBodyBytes?: number | undefined; rememberedIds?: number | undefined };
}

export const NO_FILE: ConfigFile = {
  workspaces: new Map(),
  models: {},
  policy: {},
  caps: [],
  callbacks: [],
  webhook: {},
};

/**
 * Reads and checks the file; what is wrong is reported with its path in it, and never with a value.
 *
 * @param judge judges webhook secrets, for programs that use them
 */
export function readConfigFile(
  path: string,
  judge: SecretJudge = () => undefined,
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
    ...judgeSecrets(parsed.data?.workspaces, judge),
  ].map(({ path, message }) => ({
    setting,
    wrong: `${path === '' ? 'the file' : shownName(path)} ${message}`,
    example: fileExample(path),
  }));
  if (!parsed.success) return { file: NO_FILE, problems };
  const { workspaces, models = {}, templateField, caps = [], webhook = {} } = parsed.data;
  const file: ConfigFile = {
    workspaces: readWorkspaces(workspaces),
    models: templateField === undefined ? models : withTemplateField(models, templateField),
    policy: policy ?? {},
    caps,
    callbacks: parsed.data.callbacks ?? [],
    webhook,
  };
  return { file, problems };
}

/** The name that all models' submits name a template by; what is said of one model goes before it. */
function withTemplateField(models: ModelOverrides, templateField: string): ModelOverrides {
  return Object.fromEntries(MODEL_IDS.map((id) => [id, { templateField, ...models[id] }]));
}

/** What a part of the file looks like, as one would write it. */
const FILE_EXAMPLES = {
  workspaces: '{ "workspaces": { "studio": { "apiKey": "<key>", "webhookSecret": "whsec_<base64>" } } }',
  models: '{ "models": { "image-l": { "path": "generation/<provider>/<model>", "passUnknown": true } } }',
  templateField: '{ "templateField": "template_id" }',
  policy: '{ "policy": { "deadline": "20m", "reconcile": { "otherwise": "ask" } } }',
  caps: '{ "caps": [{ "name": "all", "per": "day", "credits": 500, "then": "fail" }] }',
  callbacks: '{ "callbacks": ["https://hooks.example.com/"] }',
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
  if (path[0] === 'workspaces') return knownWorkspaceFields(path);
  if (path[0] === 'caps') return [...CAP_FIELDS];
  if (path[0] === 'models')
    return ['path', 'fields', 'passUnknown', 'assumedRules', 'templateField', 'multipart'];
  return ['maxBodyBytes', 'rememberedIds'];
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
