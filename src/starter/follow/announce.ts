import type { GenerationHandle } from '../../client/generation-handle.ts';
import type { PipelineHandle } from '../../client/pipeline-handle.ts';
import type { TemporalSettings } from '../../config/worker-config.ts';
import { printable } from '../../terminal/printable.ts';
import { webUiUrl } from '../describe/web-ui.ts';
import { goesOnWithout } from './interruption.ts';

/**
 * Says on standard error what is followed and where to see it; whoever leaves it by Ctrl-C hears that it goes on.
 *
 * @param asked whether the caller asked for a new run, and so has to hear that there was one already
 */
export function announce(
  { workflowId, attached }: GenerationHandle | PipelineHandle,
  temporal: TemporalSettings,
  asked: 'new' | 'existing',
): void {
  const url = webUiUrl(temporal, workflowId);
  const old = attached && asked === 'new';
  const lines = [
    old ? `${workflowId} exists already: attached to it, nothing new is bought` : workflowId,
    ...(url === undefined ? [] : [url]),
  ];
  process.stderr.write(`${printable(lines.join('\n'))}\n`);
  goesOnWithout(workflowId);
}
