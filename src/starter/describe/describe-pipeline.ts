import type { PipelineResult, StepItem, StepResult } from '../../contract/pipeline.ts';
import { formatTable } from '../../terminal/table.ts';
import { formatUri } from '../../terminal/units.ts';
import { describeSize, describeUsage } from './describe-generation.ts';

/** A pipeline's result for people: a row for each generation, and what all of it cost. */
export function describePipelineResult({ status, steps, usage }: PipelineResult): string {
  const rows = Object.entries(steps).flatMap(([name, step]) =>
    itemsOf(step).map((item, index, all) => row(all.length > 1 ? `${name}/${index}` : name, item)),
  );
  const table = formatTable(['step', 'status', 'task', 'credits', 'size'], rows);
  const files = Object.values(steps).flatMap((step) => itemsOf(step).flatMap(filesOf));
  return [table, ...files, `Pipeline ${status.toLowerCase()}, ${describeUsage(usage)}`].join('\n');
}

function itemsOf(step: StepResult): StepItem[] {
  return 'items' in step ? step.items : [step];
}

function row(name: string, item: StepItem): string[] {
  if (item.status !== 'COMPLETED') {
    return [name, item.status.toLowerCase(), `${item.failure.type}: ${item.failure.message}`, '', ''];
  }
  const { taskId, usage, outputs, model } = item.result;
  return [
    `${name} (${model})`,
    item.reused === true ? 'reused' : 'completed',
    taskId,
    item.reused === true ? '0' : String(usage.total),
    outputs.map(describeSize).join('\n'),
  ];
}

function filesOf(item: StepItem): string[] {
  return item.status === 'COMPLETED' ? item.result.outputs.map(({ stored }) => formatUri(stored.uri)) : [];
}
