import { Command } from 'commander';
import { type AccountReport, accountOfCap } from '../../contract/entities/account.ts';
import { holdersInWords } from '../../contract/entities/account-words.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import type { Cap } from '../../policy/caps.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { readAccount } from '../../temporal/read-account.ts';
import { formatTable } from '../../terminal/table.ts';
import type { Answer, Answering } from '../answer.ts';
import { needWorker } from '../follow/silence.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

/** `caps`: each cap of DARKROOM_CONFIG, with what is spent and reserved in its current period. */
export function capsCommand(answering: Answering): Command {
  const command = new Command('caps')
    .description('show the caps of DARKROOM_CONFIG: what is spent and reserved in the current period')
    .action(answering(caps));
  return withOwnExamples(command, 'caps', 'caps --json');
}

async function caps(): Promise<Answer> {
  return await withSession(async ({ config, temporal }) => {
    const { caps: all = [], taskQueue } = config;
    const rows = await Promise.all(
      all.map(async (cap) => {
        const account = accountOfCap(cap);
        const workflowId = entityId('account', account.scope, taskQueue);
        if ((await describeRun(temporal, workflowId)) !== undefined) await needWorker(temporal, workflowId);
        return { cap, report: await readAccount(temporal, account, taskQueue) };
      }),
    );
    const json = rows.map(({ cap: { name, per, credits }, report: { period, spent, reserved, holders } }) => {
      return { name, per, period, credits, spent, reserved, holders };
    });
    return { json, text: describeCaps(rows) };
  });
}

function describeCaps(rows: readonly { cap: Cap; report: AccountReport }[]): string {
  if (rows.length === 0) return 'DARKROOM_CONFIG has no caps.';
  const cells = rows.map(({ cap, report: { period, spent, reserved } }) => [
    cap.name,
    countedBy(cap),
    period,
    String(cap.credits),
    String(spent),
    String(reserved),
    cap.action,
  ]);
  const held = rows.flatMap(({ cap: { name }, report: { holders } }) =>
    holders.length === 0 ? [] : [`${name}: ${holdersInWords(holders)}`],
  );
  const table = formatTable(['cap', 'counts', 'period', 'credits', 'spent', 'reserved', 'then'], cells);
  return [table, ...held].join('\n');
}

function countedBy({ workspace, model, tag = {} }: Cap): string {
  const tags = Object.entries(tag).map(([name, value]) => `${name}=${value}`);
  const words = [workspace, model, ...tags].filter((word) => word !== undefined);
  return words.length === 0 ? 'everything' : words.join(', ');
}
