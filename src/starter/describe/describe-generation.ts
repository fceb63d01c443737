import type { Usage } from '../../api/records/usage.ts';
import type { Attempt, GenerationOutput, GenerationResult } from '../../contract/generation.ts';
import { oneLine } from '../../terminal/printable.ts';
import { formatTable } from '../../terminal/table.ts';
import { terminalColumns } from '../../terminal/terminal-columns.ts';
import { formatBytes, formatUri } from '../../terminal/units.ts';

/** A generation's result for people: files first, then what they cost. */
export function describeGenerationResult({
  model,
  taskId,
  outputs,
  usage,
  charged,
  attempts,
}: GenerationResult): string {
  const cost = `${describeCost(usage, charged)}, ${countAttempts(attempts.length)}`;
  const lines = [`${model}: task ${oneLine(taskId)} completed, ${cost}`, describeFiles(outputs)];
  if (attempts.length > 1) lines.push(describeAttempts(attempts));
  return lines.join('\n');
}

export function describeUsage({ total, subscription, permanent }: Usage): string {
  if (total === 0) return 'no credits';
  return `${total} credits (subscription ${subscription}, permanent ${permanent})`;
}

/**
 * What a run cost, and how much of that it has bought itself: the rest an earlier run has.
 */
export function describeCost(usage: Usage, charged: Usage | undefined): string {
  const all = describeUsage(usage);
  if (charged === undefined || charged.total === usage.total) return all;
  return `${all}, ${charged.total === 0 ? 'none' : charged.total} of them charged by this run`;
}

export function countAttempts(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`;
}

function describeFiles(outputs: readonly GenerationOutput[]): string {
  if (outputs.length === 0) return 'No files.';
  return formatTable(
    ['file', 'type', 'size', 'bytes'],
    outputs.map(({ stored, contentType, width, height, duration }) => [
      formatUri(stored.uri),
      oneLine(contentType ?? ''),
      describeSize({ width, height, duration }),
      formatBytes(stored.bytes),
    ]),
    terminalColumns(),
    ([file = '', ...facts]) => `${file}\n  ${facts.filter((fact) => fact !== '').join(', ')}`,
  );
}

export function describeAttempts(attempts: readonly Attempt[]): string {
  return formatTable(
    ['attempt', 'task', 'outcome', 'code', 'credits', 'settled by'],
    attempts.map(({ taskId, outcome, code, usage, settledBy, adopted }, index) => [
      String(index + 1),
      `${oneLine(taskId ?? '–')}${adopted ? ' (adopted)' : ''}`,
      outcome,
      oneLine(code ?? ''),
      String(usage.total),
      settledBy ?? '',
    ]),
  );
}

/** `1024 × 768`, `5 s`, or both. */
export function describeSize({
  width,
  height,
  duration,
}: Pick<GenerationOutput, 'width' | 'height' | 'duration'>): string {
  const parts = [
    width !== null && height !== null ? `${width} × ${height}` : [],
    duration === null ? [] : `${Number(duration.toFixed(2))} s`,
  ];
  return parts.flat().join(', ');
}
