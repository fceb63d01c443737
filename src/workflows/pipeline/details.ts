import type { PipelineProgress } from '../../contract/pipeline.ts';

/** What the Temporal Web UI shows of a pipeline, in Markdown. */
export function describePipeline({ steps, usage }: PipelineProgress): string {
  const rows = Object.entries(steps).map(([name, step]) => {
    const ids = step.workflowIds.slice(0, 5).map((id) => `\`${id}\``);
    if (step.workflowIds.length > 5) ids.push(`and ${step.workflowIds.length - 5} more`);
    return `| ${name} | ${step.model} | ${step.outcome ?? step.status} | ${ids.join(', ')} |`;
  });
  return [
    '| step | model | state | workflow |',
    '|---|---|---|---|',
    ...rows,
    '',
    `Credits: ${usage.total}`,
  ].join('\n');
}
