import type { Attempt } from '../contract.ts';
import type { GenerationRun } from './run.ts';

/** What the Temporal Web UI shows of a run, in Markdown (limit 20 KB: the latest 30 attempts). */
export function describeRun(run: GenerationRun): string {
  const lines = [
    `**${run.request.model}** — ${run.state}${run.note === undefined ? '' : `: ${run.note}`}`,
    '',
  ];
  if (run.task !== undefined) {
    lines.push(`Task \`${run.task.taskId}\`${run.task.adopted ? ' (adopted)' : ''}`, '');
  }
  if (run.attempts.length > 0) {
    lines.push('| attempt | task | outcome | code | credits | settled by |', '|---|---|---|---|---|---|');
    const first = Math.max(0, run.attempts.length - 30);
    run.attempts.slice(first).forEach((attempt, index) => lines.push(row(first + index + 1, attempt)));
    lines.push('');
  }
  const { total, subscription, permanent } = run.usage();
  lines.push(`Credits: ${total} (subscription ${subscription}, permanent ${permanent})`);
  return lines.join('\n');
}

function row(number: number, attempt: Attempt): string {
  const task = attempt.taskId === null ? '–' : `\`${attempt.taskId}\`${attempt.adopted ? ' (adopted)' : ''}`;
  const cells = [
    number,
    task,
    attempt.outcome,
    attempt.code ?? '–',
    attempt.usage.total,
    attempt.settledBy ?? '–',
  ];
  return `| ${cells.join(' | ')} |`;
}
