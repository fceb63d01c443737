import {
  type BatchProgress,
  type BatchResult,
  describeCounts,
  describeRefused,
  type RowNeed,
} from '../../contract/batch.ts';
import { ownCommand } from '../../package/own-command.ts';
import { oneLine } from '../../terminal/printable.ts';
import { stepCommands } from './describe-pipeline-progress.ts';

/** How far a batch is, and what to send to the rows that need a look. */
export function describeBatchProgress(progress: BatchProgress): string[] {
  const { usage, attention, moreAttention = 0 } = progress;
  return [
    ...describeCounts(progress).map(oneLine),
    ...attention.flatMap((need) => [
      describeNeed(need),
      ...commandsFor(need).map((command) => `  ${command}`),
    ]),
    ...(moreAttention === 0 ? [] : [`and ${moreAttention} more rows that need a look`]),
    `So far ${usage.total} credits`,
  ];
}

/** How a batch has ended. */
export function describeBatchResult({
  rows,
  completed,
  failed,
  refused,
  refusal = '',
  usage,
  charged,
}: BatchResult): string {
  return [
    `${completed} of ${rows} rows completed`,
    ...(failed === 0
      ? []
      : [
          `${failed} failed (the same command with --retry-failed runs once more those whose runs are still there)`,
        ]),
    ...(refused === 0 ? [] : [describeRefused({ refused, refusal })]),
    `${usage.total} credits${charged.total === usage.total ? '' : `, ${charged.total} of them now`}`,
  ].join('; ');
}

/** `batch/film/oslo: waiting for approval: step clip: …` */
function describeNeed({ workflowId, state, note }: RowNeed): string {
  return oneLine(`${workflowId}: ${state}${note === undefined ? '' : `: ${note}`}`);
}

/** What can be sent to a row, or asked of it where that tells what to do. */
export function commandsFor({ workflowId, step, asks }: RowNeed): string[] {
  return step === undefined || asks === undefined
    ? [ownCommand('show', workflowId)]
    : stepCommands(workflowId, step, asks);
}
