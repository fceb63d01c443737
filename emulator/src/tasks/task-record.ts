import type { Service } from '../service.ts';
import type { StoredOutput, Task } from './tasks.ts';

/** The submit's answer: as in the specification's examples, without `data`. */
export function acceptedRecord(task: Task): Record<string, unknown> {
  return { id: task.id, status: task.status, input: task.input, usage: task.usage };
}

/** The task record of `GET generation/{id}`. It has no properties but those of the specification. */
export function taskRecord(task: Task, service: Service) {
  return {
    id: task.id,
    status: task.status,
    input: task.input,
    data: outputData(task, service),
    usage: task.usage,
    ...(task.status === 'FAILED' ? { code: task.code ?? '', message: task.message ?? '' } : {}),
  };
}

/**
 * The model-specific output: `null` until the task has completed, else a bare URI or the object of the model's
 * kind. Asset fields are those of the specification; the audio object is assumed, analogous to video.
 */
function outputData(task: Task, { models, assumptions, origin }: Service): unknown {
  const model = models.get(task.model)?.model;
  if (task.status !== 'COMPLETED' || model === undefined) return null;
  const assets = task.outputs.map((output, index) => asset(output, outputUrl(task, index, origin())));
  if (assumptions.bareUriModels.some((id) => id === task.model)) return assets[0]?.['url'] ?? null;
  const shared = {
    type: model.output,
    n: task.results,
    ...(task.prompt === '' ? {} : { actual_prompt: task.prompt }),
    ...task.extra,
  };
  if (model.output === 'image') {
    const images = assets.map(withoutSize);
    return { ...shared, images, image: images[0] };
  }
  if (model.output === 'audio') {
    const files = assets.map(withoutPixels);
    const { list, first } = assumptions.audioOutput;
    return { ...shared, [list]: files, [first]: files[0] };
  }
  return { ...shared, seed: task.seed, videos: assets, video: assets[0] };
}

export function outputUrl(task: Task, index: number, origin: string): string {
  return `${origin}/files/${task.id}/${index}/${task.outputs[index]?.fileName ?? ''}`;
}

function asset(output: StoredOutput, url: string): Record<string, unknown> {
  return {
    url,
    file_name: output.fileName,
    content_type: output.contentType,
    file_size: output.size,
    width: output.width,
    height: output.height,
    ...(output.duration === null ? {} : { duration: output.duration }),
  };
}

/** The specification's image asset has no size and no duration. */
function withoutSize(asset: Record<string, unknown>): Record<string, unknown> {
  const { file_size: _size, duration: _duration, ...rest } = asset;
  return rest;
}

function withoutPixels(asset: Record<string, unknown>): Record<string, unknown> {
  const { width: _width, height: _height, ...rest } = asset;
  return rest;
}
