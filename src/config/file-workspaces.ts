import { z } from 'zod';
import { parseApiKey } from './variables.ts';

/** Names a URL's segment, a part of workflow ids, and a fairness key (64 bytes at most). */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

const apiKey = z.string().superRefine((key, context) => {
  const parsed = parseApiKey(key);
  if ('wrong' in parsed) context.addIssue({ code: 'custom', message: parsed.wrong });
});

const rulesSchema = z.strictObject({
  secrets: z.enum(['strict', 'any']).optional(),
  ids: z.enum(['strict', 'any']).optional(),
  legacyHeaders: z.enum(['check', 'ignore']).optional(),
});

/**
 * What the receiver demands of a workspace's webhooks beyond the Standard Webhooks rules; strict where nothing is
 * said. `secrets: any` takes short and guessable ones, `ids: any` ids of any visible characters, and
 * `legacyHeaders: ignore` does not look at legacy headers beside the newer ones.
 */
export type WebhookRules = z.infer<typeof rulesSchema>;

const workspaceSchema = z
  .strictObject({
    apiKey: apiKey.optional(),
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
  webhookSecrets: string[] | undefined;
  legacy: 'refuse' | 'accept' | undefined;
  webhook: WebhookRules | undefined;
}

export function readWorkspaces(written: Written = {}): Map<string, FileWorkspace> {
  return new Map(
    Object.entries(written).map(([name, { apiKey, webhookSecret, webhookSecrets, legacy, webhook }]) => [
      name,
      {
        apiKey,
        legacy,
        webhook,
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
