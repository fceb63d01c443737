import pLimit from 'p-limit';
import { inOurNames, type ModelRoutes, type OfferedModel } from '../api/model-routes.ts';
import { MESSAGES, withPrefix } from '../api/refusals.ts';
import type { Assumptions } from '../assumptions.ts';
import type { Files } from '../files/files.ts';
import type { FilesLook } from '../service.ts';
import type { RenderOutcome } from '../tasks/scheduler.ts';
import type { Task } from '../tasks/tasks.ts';
import { checkInputFiles } from './check-input-files.ts';
import { InputMedia } from './input-media.ts';
import { RenderingFields } from './rendering-fields.ts';
import { RENDERINGS } from './renderings.ts';
import { createMediaRenderers, type MediaRenderers } from './threads/media-renderers.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/** Tasks that render at the same time: each holds its input files in memory meanwhile. */
const AT_ONCE = 4;

interface Parts {
  models: ModelRoutes;
  files: Files;
  assumptions: Assumptions;
  origin: () => string;
  log: (line: string) => void;
}

/** Makes the real files of tasks, in worker threads. */
export class TaskRenderer {
  readonly #parts: Parts;
  readonly #media: InputMedia;
  readonly #fewAtOnce = pLimit(AT_ONCE);
  readonly #underWay = new Map<string, Promise<RenderOutcome>>();
  #renderers: MediaRenderers | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#media = new InputMedia(parts.files, parts.origin);
  }

  /** Never rejects: what goes wrong is the task's failure. */
  render(task: Task): Promise<RenderOutcome> {
    const running = this.#underWay.get(task.id);
    if (running !== undefined) return running;
    const started = this.#fewAtOnce(() => this.#make(task))
      .catch((error: unknown) => this.#failure(task, error))
      .finally(() => this.#underWay.delete(task.id));
    this.#underWay.set(task.id, started);
    return started;
  }

  async lookAtFiles(offered: OfferedModel, input: Record<string, unknown>): Promise<FilesLook> {
    const fields = new RenderingFields(inOurNames(offered, input));
    try {
      return { seconds: await checkInputFiles(offered.id, fields, this.#fetching()) };
    } catch (error) {
      if (error instanceof UnreadableMediaError) return { seconds: 0, broken: error.message };
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#renderers?.close();
  }

  async #make(task: Task): Promise<RenderOutcome> {
    const { models, files, assumptions } = this.#parts;
    const { outputSizes, resolutions, longestUpscaledSide, defaultOutputSeconds } = assumptions;
    const offered = models.get(task.model);
    if (offered === undefined) throw new Error(`${task.model} is not a model any more`);
    const input = new RenderingFields(inOurNames(offered, task.input));
    if ((input.number('duration') ?? 0) > assumptions.longestOutputSeconds) {
      throw new UnreadableMediaError(`No more than ${assumptions.longestOutputSeconds} seconds can be made.`);
    }
    const usual = outputSizes[offered.id];
    const fetch = this.#fetching();
    await checkInputFiles(offered.id, input, fetch);
    this.#renderers ??= createMediaRenderers();
    const rendering = RENDERINGS[offered.id];
    const { assets, extra = {} } = await rendering({
      input,
      prompt: task.prompt,
      seed: task.seed,
      results: task.results,
      usual: { ...usual, seconds: usual?.seconds ?? defaultOutputSeconds },
      resolutions,
      longestUpscaledSide,
      renderers: this.#renderers,
      fetch,
    });
    const outputs = await Promise.all(assets.map((asset, index) => files.storeOutput(task.id, index, asset)));
    return { kind: 'rendered', outputs, extra };
  }

  /** Fetches each URL once. */
  #fetching(): (url: string) => Promise<Uint8Array> {
    const fetched = new Map<string, Promise<Uint8Array>>();
    return (url) => {
      const file = fetched.get(url) ?? this.#media.fetch(url);
      fetched.set(url, file);
      return file;
    };
  }

  #failure(task: Task, error: unknown): RenderOutcome {
    const family = this.#parts.models.get(task.model)?.model.family ?? 'image';
    if (error instanceof UnreadableMediaError) {
      return { kind: 'failed', code: withPrefix('INVALID_INPUT', family), message: error.message };
    }
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#parts.log(`emulator: rendering task ${task.id} (${task.model}) failed: ${reason}`);
    return { kind: 'failed', code: withPrefix('FAILED', family), message: MESSAGES.FAILED };
  }
}
