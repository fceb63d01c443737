import type { ModelRoutes } from './model-routes.ts';
import { MESSAGES, withPrefix } from './refusals.ts';
import type { RenderOutcome } from './scheduler.ts';
import type { Task } from './tasks.ts';
import { TINY_MEDIA } from './tiny-media.ts';

/** Gives every task the ready-made tiny files as its outputs. */
export function tinyOutputs(models: ModelRoutes, task: Task): RenderOutcome {
  const offered = models.get(task.model);
  if (offered === undefined) {
    return { kind: 'failed', code: withPrefix('FAILED', 'image'), message: MESSAGES.FAILED };
  }
  const { output } = TINY_MEDIA[offered.model.output];
  return { kind: 'rendered', outputs: Array.from({ length: task.results }, () => output), extra: {} };
}
