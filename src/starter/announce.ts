import type { GenerationHandle, PipelineHandle } from '../client/darkroom-client.ts';
import type { TemporalSettings } from '../config.ts';
import { webUiUrl } from './web-ui.ts';

/**
 * Says on standard error what is followed, where to see it, and, where it is left by Ctrl-C, that it goes on.
 *
 * @param asked whether the caller asked for a new run, and so has to hear that there was one already
 */
export function announce(
  { workflowId, attached }: GenerationHandle | PipelineHandle,
  temporal: TemporalSettings,
  asked: 'new' | 'existing' = 'new',
): void {
  const url = webUiUrl(temporal, workflowId);
  const old = attached && asked === 'new';
  const lines = [
    old ? `${workflowId} exists already: attached to it, nothing new is bought` : workflowId,
    ...(url === undefined ? [] : [url]),
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
  const leave = (): void => {
    process.stderr.write(`\nIt goes on. To come back to it: npm run starter -- watch ${workflowId}\n`);
    process.exit(130);
  };
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
}
