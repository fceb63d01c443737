import { Command, InvalidArgumentError } from 'commander';
import { loadClientConfig } from '../../config/client-config.ts';
import { parseBaseUrl } from '../../config/variables.ts';
import type { Finding } from '../../contract/finding.ts';
import type { Answer, Answering } from '../answer.ts';
import { diagnose } from '../doctor/diagnose.ts';
import { withOwnExamples } from '../with-own-examples.ts';

interface Options {
  webhookUrl?: string;
}

/** `doctor`: what is wrong with a deployment, each with its cure. */
export function doctorCommand(answering: Answering): Command {
  const command = new Command('doctor')
    .description(
      'check Temporal, task queues, workers, keys, store and receiver; say what is wrong and what to do',
    )
    .option(
      '--webhook-url <url>',
      "the receiver's public address, like https://hooks.example.com/webhooks",
      readUrl,
    )
    .action(answering(doctor));
  return withOwnExamples(
    command,
    'doctor',
    'doctor --webhook-url https://hooks.example.com/webhooks',
    'doctor --json',
  );
}

async function doctor({ webhookUrl }: Options): Promise<Answer> {
  const findings = await diagnose(loadClientConfig(), webhookUrl);
  return {
    json: { findings },
    text: describeFindings(findings),
    failed: findings.some(({ status }) => status === 'failure'),
  };
}

function describeFindings(findings: readonly Finding[]): string {
  const wrong = findings.filter(({ status }) => status !== 'ok');
  const skipped = findings.filter(({ message }) => message.startsWith('Not checked'));
  const count = findings.length - skipped.length;
  const notes = skipped.map(({ check, message }) => `${check}: ${message}`);
  if (wrong.length === 0) return [`Nothing is wrong: ${count} checks.`, ...notes].join('\n');
  const order = { failure: 0, warning: 1, ok: 2 } as const;
  return wrong
    .toSorted((a, b) => order[a.status] - order[b.status])
    .map(({ check, status, message, fix }) => `${status}: ${check}\n  ${message}\n  → ${fix}`)
    .join('\n');
}

function readUrl(text: string): string {
  const parsed = parseBaseUrl(text);
  if ('wrong' in parsed) throw new InvalidArgumentError(`It ${parsed.wrong}.`);
  return parsed.value;
}
