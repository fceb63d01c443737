import { workflowInfo } from '@temporalio/workflow';
import { type BatchProgress, describeCounts, type RowNeed } from '../../contract/batch.ts';
import { inline } from '../markdown-text.ts';

/** Rows that need a look, as the Web UI shows them. */
const SHOWN = 10;

/** What the Temporal Web UI shows of a batch, in Markdown: how far it is, and which rows need a look. */
export function describeBatch(progress: BatchProgress): string {
  const { usage, attention, moreAttention = 0 } = progress;
  const [counts = '', ...others] = describeCounts(progress).map(inline);
  const more = attention.length - SHOWN + moreAttention;
  return [
    `**${counts}**`,
    ...others,
    ...(attention.length === 0 ? [] : [attention.slice(0, SHOWN).map(describeRow).join('\n')]),
    ...(more > 0 ? [`and ${more} more rows that need a look`] : []),
    `${usage.total} credits`,
  ].join('\n\n');
}

function describeRow({ workflowId, state, note }: RowNeed): string {
  const { namespace, workflowId: batch } = workflowInfo();
  const page = `/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`;
  const why = note === undefined ? '' : `: ${inline(note)}`;
  return `- [${workflowId.slice(batch.length + 1)}](${page}) **${inline(state)}**${why}; what to send is told on its page`;
}
