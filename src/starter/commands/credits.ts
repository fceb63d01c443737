import { Command } from 'commander';
import { readCredits } from '../../client/asking/read-credits.ts';
import { loadConfig } from '../../config/worker-config.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import type { Answer, Answering } from '../answer.ts';
import { UsageError } from '../failures/usage-error.ts';
import { withOwnExamples } from '../with-own-examples.ts';

/** `credits`: a workspace's balance, asked from the API. */
export function creditsCommand(answering: Answering): Command {
  const command = new Command('credits')
    .description("show a workspace's balance and when its subscription credits expire")
    .option('--workspace <name>', 'a workspace of DARKROOM_CONFIG', DEFAULT_WORKSPACE)
    .action(answering(credits));
  return withOwnExamples(command, 'credits', 'credits --workspace film --json');
}

async function credits({ workspace }: { workspace: string }): Promise<Answer> {
  const { workspaces } = loadConfig();
  if (!workspaces.has(workspace))
    throw new UsageError(
      `workspace ${workspace} is not configured; known: ${[...workspaces.keys()].join(', ')}`,
    );
  const json = await readCredits(process.env, workspace);
  const { available, subscription, permanent, subscription_expires_at: expiry } = json;
  const expires = expiry === undefined || expiry === null ? '' : `, expires ${describeExpiry(expiry)}`;
  return {
    json,
    text: `${workspace}: ${available} credits available (subscription ${subscription}${expires}; permanent ${permanent})`,
  };
}

function describeExpiry(expiry: string): string {
  const days = Math.floor((Date.parse(expiry) - Date.now()) / 86_400_000);
  const distance = days < 0 ? 'past' : days === 0 ? 'today' : days === 1 ? 'in 1 day' : `in ${days} days`;
  return `${expiry} (${distance})`;
}
