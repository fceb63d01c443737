import type { GenerationResult } from '../contract/generation.ts';
import { describeSize } from '../starter/describe/describe-generation.ts';
import { formatTable } from '../terminal/table.ts';
import { formatBytes, formatSeconds, formatUri } from '../terminal/units.ts';

/** One step of the demo, as it went. Times in milliseconds. */
export interface DemoStep {
  name: string;
  result: GenerationResult;
  /** From the step's start to its result with the file stored. */
  took: number;
  /** What of it the emulator pretended to work; undefined with a real API. */
  simulated: number | undefined;
}

/** The table at the end of `npm start`: a row a step, then the files. */
export function demoTable(steps: readonly DemoStep[]): string {
  const emulated = steps.some(({ simulated }) => simulated !== undefined);
  const head = ['step', 'task', 'credits', 'settled by', ...(emulated ? ['API', 'Darkroom'] : ['time'])];
  const rows = steps.map(({ name, result, took, simulated }) => [
    `${name} (${result.model})`,
    result.taskId,
    String(result.usage.total),
    result.attempts.at(-1)?.settledBy ?? '',
    ...(simulated === undefined
      ? [formatSeconds(took)]
      : [formatSeconds(simulated), formatSeconds(took - simulated)]),
  ]);
  return [formatTable(head, rows), ...steps.flatMap(({ result }) => result.outputs.map(fileLine))].join('\n');
}

/** `3 files, 27 credits, 14.2 s: 11.9 s the emulator's simulated work, 2.3 s ours` */
export function demoTotals(steps: readonly DemoStep[], total: number): string {
  const files = steps.reduce((sum, { result }) => sum + result.outputs.length, 0);
  const credits = steps.reduce((sum, { result }) => sum + result.usage.total, 0);
  const simulated = steps.reduce((sum, step) => sum + (step.simulated ?? 0), 0);
  const split =
    simulated === 0
      ? ''
      : `: ${formatSeconds(simulated)} the emulator's simulated work, ${formatSeconds(total - simulated)} our own, start-up included`;
  return `${files} files, ${credits} credits, ${formatSeconds(total)}${split}`;
}

function fileLine({ stored, contentType, ...size }: GenerationResult['outputs'][number]): string {
  return `${formatUri(stored.uri)}  ${[contentType ?? [], describeSize(size), formatBytes(stored.bytes)].flat().join(', ')}`;
}
