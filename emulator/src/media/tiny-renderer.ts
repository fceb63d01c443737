import type { ModelRoutes } from '../api/model-routes.ts';
import { MESSAGES, withPrefix } from '../api/refusals.ts';
import type { RenderOutcome } from '../tasks/scheduler.ts';
import type { Task } from '../tasks/tasks.ts';
import { markedTiny } from './tiny-media.ts';

/** Gives every task ready-made tiny files as its outputs, each with a mark of its own. */
export function tinyOutputs(models: ModelRoutes, task: Task): RenderOutcome {
  const offered = models.get(task.model);
  if (offered === undefined) {
    return { kind: 'failed', code: withPrefix('FAILED', 'image'), message: MESSAGES.FAILED };
  }
  const outputs = Array.from(
    { length: task.results },
    (_, index) => markedTiny(offered.model.output, `${task.id}-${index}`).output,
  );
  return { kind: 'rendered', outputs, extra: {} };
}
