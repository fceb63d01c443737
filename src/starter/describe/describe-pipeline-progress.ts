import type { PipelineProgress, StepProgress } from '../../contract/pipeline.ts';
import { ownCommand } from '../../package/own-command.ts';
import { oneLine, printable } from '../../terminal/printable.ts';
import { formatTable } from '../../terminal/table.ts';
import { describeUsage } from './describe-generation.ts';

/** How a running pipeline stands, a row for each step, and what to send where one waits for a person. */
export function describeSteps(workflowId: string, { steps, omitted = 0, usage }: PipelineProgress): string[] {
  const rows = Object.entries(steps).map(([name, step]) => [
    name,
    step.model,
    stateOf(step),
    step.credits === undefined ? '' : String(step.credits),
    step.workflowIds.map(printable).join('\n'),
  ]);
  const asked = Object.entries(steps).flatMap(([name, step]) => describeQuestion(workflowId, name, step));
  return [
    formatTable(['step', 'model', 'state', 'credits', 'workflow'], rows),
    ...(omitted === 0 ? [] : [`and ${omitted} more steps`]),
    ...asked,
    `So far ${describeUsage(usage)}`,
  ];
}

function stateOf({ status, outcome, needs, note }: StepProgress): string {
  if (status === 'pending') return oneLine(note ?? 'waiting for its inputs');
  return oneLine(needs ?? (outcome ?? status).toLowerCase());
}

function describeQuestion(
  workflowId: string,
  name: string,
  { status, note = '', needs, workflowIds }: StepProgress,
): string[] {
  if (needs !== undefined) {
    const [of = ''] = workflowIds;
    return [
      `${name}: ${oneLine(needs)}${note === '' ? '' : `: ${oneLine(note)}`}`,
      `  ${ownCommand('show', of)}`,
    ];
  }
  const commands = stepCommands(workflowId, name, status);
  return commands.length === 0
    ? []
    : [`${name}: ${oneLine(note)}`, ...commands.map((command) => `  ${command}`)];
}

/** The commands that a step waits for. */
export function stepCommands(workflowId: string, step: string, status: StepProgress['status']): string[] {
  const actions =
    status === 'approval' ? ['approve', 'reject'] : status === 'held' ? ['retry', 'skip', 'fail'] : [];
  return actions.map((action) => ownCommand('decide', workflowId, action, '--step', step));
}
