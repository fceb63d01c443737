import { rowDigest } from '../../src/client/batch/row-digest.ts';
import type { BatchStart } from '../../src/client/batch/start-batch.ts';
import type { GenerationRequest } from '../../src/contract/generation.ts';
import type { PipelineRequest } from '../../src/contract/pipeline.ts';
import type { Cap } from '../../src/policy/caps.ts';
import type { GenerationFacts } from '../explore/rule.ts';
import { ASKING, FINAL_FAILURES, FINAL_REFUSALS, failingMark, refusedMark, TIGHT } from './fault-rules.ts';
import { type Disturbance, planDisturbances } from './plan-disturbances.ts';
import { Random } from './random.ts';
import type { StormSize } from './storm-size.ts';

/** One logical generation: what a workflow id stands for. */
export type PlannedGeneration = Pick<GenerationFacts, 'workflowId' | 'group' | 'refused' | 'pipeline'>;

export type PlannedStart = { at: number; workflowId: string } & (
  | { type: 'generation'; request: GenerationRequest }
  | { type: 'batch'; batch: Pick<BatchStart, 'pipeline' | 'rows' | 'concurrency' | 'budget'> }
  | {
      type: 'pipeline';
      request: PipelineRequest;
      /** Steps that wait for a person's approval. */
      approvals?: readonly string[];
    }
);

export interface StormPlan {
  generations: PlannedGeneration[];
  starts: PlannedStart[];
  disturbances: Disturbance[];
  /** Credits by workflow id. */
  budgets: ReadonlyMap<string, number>;
  /** It lets wait for the next minute what comes too fast. */
  cap: Cap;
}

const IN_PIPELINES = 0.15;
const TWINS = 0.06;
const MARKED = 0.05;
const STEPS = 3;
/** A batch for so many generations, with so many rows; budgets that have room for all that a storm may do to them. */
const BATCH_FOR_EACH = 40;
const ROWS = 5;
const BUDGETS = { batch: 200, pipeline: 600 };
/** Budgets of single pictures: for one task, or for two. */
const TIGHT_BUDGETS = [8, 16];
const TIGHT_SHARE = 0.15;
/** What the emulator takes for an `image-s`. */
const CAPPED_PRICE = 7;
/** Of the single ones: pairs of equal prompts for two models, those that ask a person, and records of 300 KB. */
const ACROSS_MODELS = 0.04;
const ASKING_SHARE = 0.03;
const LARGE = 0.01;
const LARGE_CHARACTERS = 300_000;

/** Everything that chance decides about a storm, from its seed alone. */
export function planStorm(seed: number, count: number, size: StormSize): StormPlan {
  const random = new Random(seed);
  const pipelines = Math.floor((count * IN_PIPELINES) / STEPS);
  const generations: PlannedGeneration[] = [];
  const starts: PlannedStart[] = [];
  const at = (): number => random.between(0, size.window * 0.9);

  for (let index = 0; index < pipelines; index += 1) {
    const workflowId = `pipeline/storm-${seed}-${index}`;
    const { request, paths, approvals } =
      PIPELINES[index % PIPELINES.length]?.(workflowId) ?? fan(workflowId);
    const budget = index % 2 === 0 ? { budget: { credits: BUDGETS.pipeline } } : {};
    starts.push({
      at: at(),
      workflowId,
      type: 'pipeline',
      request: { ...request, ...budget },
      ...(approvals === undefined ? {} : { approvals }),
    });
    for (const path of paths) {
      const step = `${workflowId}/${path}`;
      generations.push({ workflowId: step, group: step, pipeline: workflowId });
    }
  }

  const budgets = new Map(
    starts.flatMap((start) =>
      start.type === 'pipeline' && start.request.budget !== undefined
        ? [[start.workflowId, start.request.budget.credits]]
        : [],
    ),
  );
  for (let index = 0; index < Math.floor(count / BATCH_FOR_EACH); index += 1) {
    const workflowId = `batch/storm-${seed}-${index}`;
    const planned = batch(workflowId);
    starts.push({ at: at(), workflowId, type: 'batch', batch: planned });
    budgets.set(workflowId, BUDGETS.batch);
    for (const { id } of planned.rows) {
      const pipeline = `${workflowId}/${id}`;
      const step = `${pipeline}/still`;
      generations.push({ workflowId: step, group: step, pipeline });
    }
  }

  let singles = count - generations.length;
  const several = (share: number, least: number): number => Math.max(least, Math.round(singles * share));
  const plan = {
    across: several(ACROSS_MODELS / 2, 1),
    asking: several(ASKING_SHARE, 2),
    large: several(LARGE, 1),
  };
  const alone = (workflowId: string, request: GenerationRequest, when = at()): void => {
    generations.push({ workflowId, group: workflowId });
    starts.push({ at: when, workflowId, type: 'generation', request });
    singles -= 1;
  };
  for (let index = 0; index < plan.across; index += 1) {
    // They start together, as twins do: an image is not to become a video's result.
    const prompt = `across-${seed}-${index}`;
    const when = at();
    for (const model of ['image-l', 'video-g']) {
      alone(`generation/${prompt}-${model}`, { model, input: { prompt } }, when);
    }
  }
  for (let index = 0; index < plan.asking; index += 1) {
    const workflowId = `generation/storm-${seed}-${ASKING}-${index}`;
    const policy = { reconcile: { wait: size.askingWait, otherwise: 'ask' } };
    alone(workflowId, { ...image(workflowId), policy });
  }
  for (let index = 0; index < plan.large; index += 1) {
    const workflowId = `generation/storm-${seed}-large-${index}`;
    alone(workflowId, image(`${workflowId} ${'x'.repeat(LARGE_CHARACTERS)}`));
  }
  const marks = [
    ...FINAL_REFUSALS.map((code) => ({ mark: refusedMark(code), refused: code })),
    ...FINAL_FAILURES.map((code) => ({ mark: failingMark(code), refused: undefined })),
  ];
  const marked = Math.min(singles, Math.max(marks.length, Math.round(singles * MARKED)));
  const twins = Math.floor((singles * TWINS) / 2) * 2;
  const rest = singles;
  for (let index = 0; index < rest; index += 1) {
    const mark = index < marked ? marks[index % marks.length] : undefined;
    const twin = index >= marked && index < marked + twins;
    const name = `storm-${seed}-${index}`;
    const group = twin ? `twins-${seed}-${(index - marked) >> 1}` : `generation/${name}`;
    const isTight = mark === undefined && !twin && random.next() < TIGHT_SHARE;
    const marking = isTight ? TIGHT : mark?.mark;
    const workflowId = `generation/${name}${marking === undefined ? '' : `-${marking}`}`;
    generations.push({
      workflowId,
      group,
      ...(mark?.refused === undefined ? {} : { refused: mark.refused }),
    });
    // Twins start together: that is when one may take the other's task.
    const earlier = twin && (index - marked) % 2 === 1 ? starts.at(-1) : undefined;
    const credits = TIGHT_BUDGETS[index % TIGHT_BUDGETS.length] ?? 0;
    const request = twin
      ? image(group)
      : isTight
        ? { ...image(workflowId), policy: { budget: { credits } } }
        : pickRequest(random, workflowId);
    if (isTight) budgets.set(workflowId, credits);
    starts.push({ at: earlier?.at ?? at(), workflowId, type: 'generation', request });
  }
  return {
    generations,
    starts: starts.sort((a, b) => a.at - b.at),
    disturbances: planDisturbances(random, size),
    budgets,
    cap: capFor(count, size),
  };
}

/** A little less than what comes in a minute of what it counts. */
function capFor(count: number, { window }: StormSize): Cap {
  const images = Math.ceil(((count * 0.13) / window) * 60_000 * 0.8);
  return { name: 'storm', model: 'image-s', per: 'minute', credits: images * CAPPED_PRICE, action: 'wait' };
}

function batch(about: string): Pick<BatchStart, 'pipeline' | 'rows' | 'concurrency' | 'budget'> {
  const pipeline: PipelineRequest = {
    steps: { still: { model: 'image-l', input: { prompt: { $param: 'prompt' } } } },
  };
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const values = { prompt: `${about} ${index}` };
    return { id: `row-${index}`, values, digest: rowDigest(pipeline, values) };
  });
  return { pipeline, rows, concurrency: 3, budget: BUDGETS.batch };
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

interface PlannedPipeline {
  request: PipelineRequest;
  paths: string[];
  approvals?: readonly string[];
}

const PIPELINES: readonly ((about: string) => PlannedPipeline)[] = [chain, fan, approved];

function chain(about: string): PlannedPipeline {
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

function fan(about: string): PlannedPipeline {
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

/** A person looks at the picture before it is enlarged, and is asked where that fails. */
function approved(about: string): PlannedPipeline {
  const large = { model: 'upscale-q', input: { image_url: { $from: 'still' } } };
  return {
    request: {
      steps: {
        still: image(about),
        large: { ...large, approve: true, onFailure: 'hold' },
        second: image(`${about} again`),
      },
    },
    paths: ['still', 'large', 'second'],
    approvals: ['large'],
  };
}
