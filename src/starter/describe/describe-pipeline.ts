import { NO_USAGE } from '../../api/records/usage.ts';
import type { FailureDetails } from '../../contract/generation.ts';
import type { PipelineResult, StepItem } from '../../contract/pipeline.ts';
import { itemsOf } from '../../contract/steps/step-items.ts';
import { oneLine } from '../../terminal/printable.ts';
import { formatTable } from '../../terminal/table.ts';
import { terminalColumns } from '../../terminal/terminal-columns.ts';
import { formatUri } from '../../terminal/units.ts';
import { countAttempts, describeCost, describeSize } from './describe-generation.ts';

/** A pipeline's result for people: a row for each generation, and what all of it cost. */
export function describePipelineResult({ status, steps, usage, charged }: PipelineResult): string {
  const rows = Object.entries(steps).flatMap(([name, step]) =>
    itemsOf(step).map((item, index, all) => row(all.length > 1 ? `${name}/${index}` : name, item)),
  );
  const head = ['step', 'status', 'task', 'attempts', 'credits', 'size'];
  const table = formatTable(head, rows, terminalColumns(), narrowRow);
  const items = Object.values(steps).flatMap(itemsOf);
  const attempts = items.reduce((sum, item) => sum + (spentOn(item)?.attempts.length ?? 0), 0);
  const cost = `${describeCost(usage, charged)}, ${countAttempts(attempts)}`;
  const reasons = Object.entries(steps).flatMap(([name, step]) =>
    itemsOf(step).flatMap((item, index, all) => reasonOf(all.length > 1 ? `${name}/${index}` : name, item)),
  );
  return [table, ...reasons, ...items.flatMap(filesOf), `Pipeline ${status.toLowerCase()}, ${cost}`].join(
    '\n',
  );
}

function row(name: string, item: StepItem): string[] {
  const spent = spentOn(item);
  const cost = spent === undefined ? ['', ''] : [String(spent.attempts.length), String(spent.usage.total)];
  if (item.status !== 'COMPLETED') {
    const tasks = spent?.attempts.map(({ taskId, outcome }) => oneLine(taskId ?? `(${outcome})`)) ?? [];
    return [name, item.status.toLowerCase(), tasks.join('\n'), ...cost, ''];
  }
  const { taskId, outputs, model } = item.result;
  return [
    `${name} (${model})`,
    item.reused === true ? 'reused' : 'completed',
    oneLine(taskId),
    ...cost,
    outputs.map(describeSize).join('\n'),
  ];
}

/** Why a generation is not completed. */
function reasonOf(name: string, item: StepItem): string[] {
  if (item.status === 'COMPLETED') return [];
  const { type, message } = item.failure;
  return [
    `${name} ${item.status.toLowerCase()}: ${item.status === 'SKIPPED' ? '' : `${type}: `}${oneLine(message)}`,
  ];
}

/** Where there is no room for a table: what it came to in a line, the task or the failure below it. */
function narrowRow([
  name,
  status,
  task = '',
  attempts = '',
  credits = '',
  size = '',
]: readonly string[]): string {
  const facts = [
    status,
    attempts === '' ? '' : countAttempts(Number(attempts)),
    credits === '' ? '' : `${credits} credits`,
    size.replaceAll('\n', '; '),
  ];
  const tasks = task === '' ? '' : `\n  ${task.replaceAll('\n', '\n  ')}`;
  return `${name}: ${facts.filter((fact) => fact !== '').join(', ')}${tasks}`;
}

/** What a generation of this pipeline tried and cost; undefined where it tried nothing, or nobody can tell. */
function spentOn(item: StepItem): Pick<FailureDetails, 'attempts' | 'usage'> | undefined {
  if (item.status === 'SKIPPED') return undefined;
  if (item.status === 'COMPLETED') {
    return item.reused === true ? { attempts: [], usage: NO_USAGE } : item.result;
  }
  const details = (item.failure.details ?? {}) as Partial<FailureDetails>; // the contract's first detail
  const { attempts = [], usage } = details; // they may be left out
  return usage === undefined ? undefined : { attempts, usage };
}

function filesOf(item: StepItem): string[] {
  return item.status === 'COMPLETED' ? item.result.outputs.map(({ stored }) => formatUri(stored.uri)) : [];
}
