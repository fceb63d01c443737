import type { Files } from './files.ts';
import type { ModelRoutes } from './model-routes.ts';
import { MESSAGES, withPrefix } from './refusals.ts';
import type { RenderOutcome } from './scheduler.ts';
import type { Task } from './tasks.ts';
import { TINY_MEDIA } from './tiny-media.ts';

interface Parts {
  media: 'rendered' | 'tiny';
  models: ModelRoutes;
  files: Files;
  origin(): string;
  log(line: string): void;
}

type Render = (task: Task) => Promise<RenderOutcome>;

/** What makes a task's files. */
export function createRenderer({ models }: Parts): Render {
  return tinyRenderer(models);
}

/** Serves the ready-made tiny files as every task's outputs. */
function tinyRenderer(models: ModelRoutes): Render {
  return (task) => {
    const offered = models.get(task.model);
    if (offered === undefined) {
      return Promise.resolve({ kind: 'failed', code: withPrefix('FAILED', 'image'), message: MESSAGES.FAILED });
    }
    const { output } = TINY_MEDIA[offered.model.output];
    return Promise.resolve({
      kind: 'rendered',
      outputs: Array.from({ length: task.results }, () => output),
      extra: {},
    });
  };
}
