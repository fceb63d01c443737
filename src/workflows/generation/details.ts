import type { Usage } from '../../api/usage.ts';
import type { Attempt, GenerationState } from '../../contract/generation.ts';

/** The latest attempts that are shown: the UI takes 20 KB. */
const SHOWN = 30;

/** What is shown of a run. */
export interface ShownRun {
  request: { model: string };
  state: GenerationState;
  note: string | undefined;
  task: { taskId: string; adopted: boolean } | undefined;
  attempts: readonly Attempt[];
  usage(): Usage;
}

/** What the Temporal Web UI shows of a run, in Markdown. */
export function describeRun(run: ShownRun): string {
  const lines = [
    `**${run.request.model}** — ${run.state}${run.note === undefined ? '' : `: ${run.note}`}`,
    '',
  ];
  if (run.task !== undefined) {
    lines.push(`Task \`${run.task.taskId}\`${run.task.adopted ? ' (adopted)' : ''}`, '');
  }
  const first = Math.max(0, run.attempts.length - SHOWN);
  run.attempts.slice(first).forEach((attempt, index) => lines.push(line(first + index + 1, attempt)));
  if (run.attempts.length > 0) lines.push('');
  const { total, subscription, permanent } = run.usage();
  lines.push(`Credits: ${total} (subscription ${subscription}, permanent ${permanent})`);
  return lines.join('\n');
}

/** A list and not a table: the UI's column is too narrow for one. */
function line(number: number, attempt: Attempt): string {
  const { taskId, outcome, code, usage, settledBy, adopted } = attempt;
  const facts = [
    `**${outcome}**`,
    taskId === null ? [] : `task \`${taskId}\`${adopted ? ' (adopted)' : ''}`,
    code === null ? [] : `\`${code}\``,
    `${usage.total} credits`,
    settledBy === null ? [] : `settled by ${settledBy}`,
  ];
  return `${number}. ${facts.flat().join(', ')}`;
}
