import type { GenerationCode } from '../../src/api/codes.ts';
import type { GenerationRequest } from '../../src/contract/generation.ts';
import type { PipelineRequest } from '../../src/contract/pipeline.ts';
import { FINAL_FAILURES, FINAL_REFUSALS, failingMark, refusedMark } from './fault-rules.ts';
import { Random } from './random.ts';
import type { StormSize } from './storm-size.ts';

/** One logical generation: what a workflow id stands for. */
export interface PlannedGeneration {
  workflowId: string;
  /** Generations with the same input share a group: what one of them bought another may get. */
  group: string;
  /** The code that each of its submits is refused with. */
  refused?: GenerationCode;
  /** The pipeline that it is a step of. */
  pipeline?: string;
}

export type PlannedStart = { at: number; workflowId: string } & (
  | { type: 'generation'; request: GenerationRequest }
  | { type: 'pipeline'; request: PipelineRequest }
);

/** Something that is broken at a time, milliseconds after the storm's begin. */
export type Disturbance = { at: number } & (
  | { kind: 'worker killed'; worker: number; gently: boolean }
  | { kind: 'receiver restarted' }
  | { kind: 'receivers away'; for: number }
  | { kind: 'temporal restarted' }
  | { kind: 'temporal away'; for: number }
  /** Which of the runs that were started so far, and to which of its points: both in [0, 1). */
  | { kind: 'run reset'; run: number; point: number }
);

export interface StormPlan {
  generations: PlannedGeneration[];
  starts: PlannedStart[];
  disturbances: Disturbance[];
}

export const WORKERS = 3;

const IN_PIPELINES = 0.15;
const TWINS = 0.06;
const MARKED = 0.05;
const STEPS = 3;

/** Everything that chance decides about a storm, from its seed alone. */
export function planStorm(seed: number, count: number, size: StormSize): StormPlan {
  const random = new Random(seed);
  const pipelines = Math.floor((count * IN_PIPELINES) / STEPS);
  const generations: PlannedGeneration[] = [];
  const starts: PlannedStart[] = [];
  const at = (): number => random.between(0, size.window * 0.9);

  for (let index = 0; index < pipelines; index += 1) {
    const workflowId = `pipeline/storm-${seed}-${index}`;
    const { request, paths } = index % 2 === 0 ? chain(workflowId) : fan(workflowId);
    starts.push({ at: at(), workflowId, type: 'pipeline', request });
    for (const path of paths) {
      const step = `${workflowId}/${path}`;
      generations.push({ workflowId: step, group: step, pipeline: workflowId });
    }
  }

  const singles = count - generations.length;
  const marks = [
    ...FINAL_REFUSALS.map((code) => ({ mark: refusedMark(code), refused: code })),
    ...FINAL_FAILURES.map((code) => ({ mark: failingMark(code), refused: undefined })),
  ];
  const marked = Math.min(singles, Math.max(marks.length, Math.round(singles * MARKED)));
  const twins = Math.floor((singles * TWINS) / 2) * 2;
  for (let index = 0; index < singles; index += 1) {
    const mark = index < marked ? marks[index % marks.length] : undefined;
    const twin = index >= marked && index < marked + twins;
    const name = `storm-${seed}-${index}`;
    const group = twin ? `twins-${seed}-${(index - marked) >> 1}` : `generation/${name}`;
    const workflowId = `generation/${name}${mark === undefined ? '' : `-${mark.mark}`}`;
    generations.push({
      workflowId,
      group,
      ...(mark?.refused === undefined ? {} : { refused: mark.refused }),
    });
    // Twins start together: that is when one may take the other's task.
    const earlier = twin && (index - marked) % 2 === 1 ? starts.at(-1) : undefined;
    const request = twin ? image(group) : pickRequest(random, workflowId);
    starts.push({ at: earlier?.at ?? at(), workflowId, type: 'generation', request });
  }
  return {
    generations,
    starts: starts.sort((a, b) => a.at - b.at),
    disturbances: planDisturbances(random, size),
  };
}

function planDisturbances(random: Random, size: StormSize): Disturbance[] {
  const { window, outage } = size;
  const planned: Disturbance[] = [
    { at: window * 0.2, kind: 'receivers away', for: outage },
    { at: window * 0.2 + outage + window * 0.1, kind: 'temporal away', for: outage },
  ];
  for (let at = random.between(...size.killEvery); at < window; at += random.between(...size.killEvery)) {
    const worker = Math.floor(random.next() * WORKERS);
    planned.push({ at, kind: 'worker killed', worker, gently: random.next() < 0.15 });
  }
  for (let index = 0; index < size.receiverRestarts; index += 1) {
    planned.push({ at: random.between(0, window), kind: 'receiver restarted' });
  }
  for (let index = 0; index < size.temporalRestarts; index += 1) {
    planned.push({ at: random.between(0, window), kind: 'temporal restarted' });
  }
  for (let index = 0; index < size.resets; index += 1) {
    planned.push({
      at: random.between(window * 0.05, window * 1.1),
      kind: 'run reset',
      run: random.next(),
      point: random.next(),
    });
  }
  return planned.sort((a, b) => a.at - b.at);
}

function pickRequest(random: Random, about: string): GenerationRequest {
  return random.pick<(about: string) => GenerationRequest>([image, image, twoImages, seeded, speech])(about);
}

const image = (about: string): GenerationRequest => ({ model: 'image-l', input: { prompt: about } });
const twoImages = (about: string): GenerationRequest => ({
  model: 'image-l',
  input: { prompt: about, n: 2 },
});
const seeded = (about: string): GenerationRequest => ({ model: 'image-s', input: { prompt: about } });
const speech = (about: string): GenerationRequest => ({ model: 'speech-b', input: { text: about } });

function chain(about: string): { request: PipelineRequest; paths: string[] } {
  return {
    request: {
      steps: {
        still: image(about),
        large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
        clip: { model: 'video-f', input: { prompt: about, first_frame_url: { $from: 'large', output: 0 } } },
      },
    },
    paths: ['still', 'large', 'clip'],
  };
}

function fan(about: string): { request: PipelineRequest; paths: string[] } {
  return {
    request: {
      steps: {
        stills: twoImages(about),
        large: { model: 'upscale-q', input: { image_url: { $each: 'stills' } } },
      },
    },
    paths: ['stills', 'large/0', 'large/1'],
  };
}
