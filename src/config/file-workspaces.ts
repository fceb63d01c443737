import { z } from 'zod';
import { parseApiKey } from './variables.ts';

/** Names a URL's segment, a part of workflow ids, and a fairness key (64 bytes at most). */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

const apiKey = z.string().superRefine((key, context) => {
  const parsed = parseApiKey(key);
  if ('wrong' in parsed) context.addIssue({ code: 'custom', message: parsed.wrong });
});

/** What every request has of its own, and what frames it. */
const OWN_HEADERS =
  /^(?:authorization|accept|accept-.*|user-agent|host|connection|keep-alive|upgrade|expect|te|trailer|transfer-encoding|cookie|proxy-.*|content-.*|x-darkroom-.*)$/;

/** HTTP's names of headers are the same in any case. */
const headers = z
  .record(
    z
      .string()
      .regex(/^[\w-]{1,100}$/, 'must be named with letters, digits, _ and -')
      .toLowerCase()
      .refine((name) => !OWN_HEADERS.test(name), 'is a header of its own'),
    z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible characters'),
  )
  .refine((all) => Object.keys(all).length <= 10, 'must be at most 10');

const rulesSchema = z.strictObject({
  secrets: z.enum(['strict', 'any']).optional(),
  ids: z.enum(['strict', 'any']).optional(),
  legacyHeaders: z.enum(['check', 'ignore']).optional(),
});

/**
 * What the receiver demands of a workspace's webhooks beyond the Standard Webhooks rules; strict where nothing is
 * said. `secrets: any` takes short ones, `ids: any` ids of any visible characters, and
 * `legacyHeaders: ignore` does not look at legacy headers beside the newer ones.
 */
export type WebhookRules = z.infer<typeof rulesSchema>;

const workspaceSchema = z
  .strictObject({
    apiKey: apiKey.optional(),
    headers: headers.optional(),
    webhookSecret: z.string().optional(),
    webhookSecrets: z.array(z.string()).optional(),
    legacy: z.enum(['refuse', 'accept']).optional(),
    webhook: rulesSchema.optional(),
  })
  .refine(
    ({ webhookSecret, webhookSecrets }) => webhookSecret === undefined || webhookSecrets === undefined,
    {
      message: 'has both webhookSecret and webhookSecrets; write one of them',
    },
  );

export const workspacesSchema = z.record(
  z.string().regex(NAME, 'must be named with letters, digits, . _ and -, at most 64 of them'),
  workspaceSchema,
);
type Written = z.infer<typeof workspacesSchema>;

/** The fields that a path below `workspaces` allows. */
export function knownWorkspaceFields(path: readonly PropertyKey[]): string[] {
  return Object.keys(path[2] === 'webhook' ? rulesSchema.shape : workspaceSchema.shape);
}

/** A workspace as the file has it; every field may be missing. */
export interface FileWorkspace {
  apiKey: string | undefined;
  headers: Readonly<Record<string, string>> | undefined;
  webhookSecrets: string[] | undefined;
  legacy: 'refuse' | 'accept' | undefined;
  webhook: WebhookRules | undefined;
}

export function readWorkspaces(written: Written = {}): Map<string, FileWorkspace> {
  return new Map(
    Object.entries(written).map(([name, { webhookSecret, webhookSecrets, ...written }]) => [
      name,
      {
        apiKey: written.apiKey,
        headers: written.headers,
        legacy: written.legacy,
        webhook: written.webhook,
        webhookSecrets: webhookSecret === undefined ? webhookSecrets : [webhookSecret],
      },
    ]),
  );
}

/** What is wrong with a webhook secret of a workspace, reading on from its name; undefined: nothing. */
export type SecretJudge = (secret: string, workspace: string, rules?: WebhookRules) => string | undefined;

/** What is wrong with any of the webhook secrets, each with its path in the file. */
export function judgeSecrets(written: Written = {}, judge: SecretJudge): { path: string; message: string }[] {
  return Object.entries(written).flatMap(([name, { webhookSecret, webhookSecrets = [], webhook }]) => {
    const secrets = webhookSecrets.map((secret, index) => ({ secret, field: `webhookSecrets.${index}` }));
    if (webhookSecret !== undefined) secrets.push({ secret: webhookSecret, field: 'webhookSecret' });
    return secrets.flatMap(({ secret, field }) => {
      const message = judge(secret, name, webhook);
      return message === undefined ? [] : [{ path: `workspaces.${name}.${field}`, message }];
    });
  });
}
