import type { FaultRuleInput } from '../../emulator/src/index.ts';
import type { GenerationCode } from '../../src/api/codes.ts';
import { rowDigest } from '../../src/client/batch/row-digest.ts';
import type { BatchStart } from '../../src/client/batch/start-batch.ts';
import type { Decision } from '../../src/contract/generation.ts';
import type { PipelineRequest, Resolution } from '../../src/contract/pipeline.ts';
import { FAST } from '../workflows/fast-policy.ts';
import type { StageOptions } from './stage.ts';
import { TEMPLATE } from './template.ts';

/** A workflow that a scene starts. */
export interface Start {
  /** `own`: somebody's own workflow (own-workflow.ts), with generations as its children. */
  type: 'generation' | 'pipeline' | 'batch' | 'own';
  workflowId: string;
  /** Without its policy. */
  request: object;
  policy: Policy;
  /** Of a batch, which is not started by a request alone. */
  batch?: Pick<BatchStart, 'pipeline' | 'rows' | 'concurrency' | 'budget'>;
  /** By the other deployment. */
  isElsewhere?: true;
}

/** What happens at one place, before anybody does anything to it. */
export interface Scene {
  name: string;
  /** The moment from which on it differs from a scene above it: what is done before that is done there. */
  begins?: string;
  /** Children that do the same as one that is started beside them. */
  twins?: RegExp;
  /** What is started, the one first that acts are about. */
  starts: (place: string) => Start[];
  /** How its stage differs from the usual one. */
  stage?: Pick<StageOptions, 'longAfter' | 'other'>;
  /** What the API does at that place. */
  faults?: (match: { workspace: string }) => FaultRuleInput[];
  /** How long signs of a lost submit are waited for (ms). */
  waits?: number;
  /** What a person decides who is asked about a submit; by the service's own books where absent. */
  decides?: Decision['action'];
  /** How much later than the wait evidence may come (ms): no person is asked to answer before. */
  evidenceComesWithin?: number;
  /** Failures of our own that it ends with. */
  mayFailWith?: readonly string[];
  /** Credits of its budget or cap, which nothing may pass. */
  limit?: number;
  /** How long it may take to its end after an act, on a quick machine (ms), where that is longer than usual. */
  bound?: number;
  /** The code that the API refuses it with for good. */
  refused?: GenerationCode;
  /** The child that it buys in another run, as which it goes on: a purchase of its own in each start (docs/calling.md). */
  laterChild?: string;
  /** What a person lets be bought in the place of what is asked about. */
  approves?: Record<string, unknown>;
  /** What becomes of a step that is held. */
  resolves?: Pick<Resolution, 'action' | 'input'>;
  /** The rows of a batch. */
  rows?: readonly string[];
  /** Somebody has the run look while its first submit is open. */
  isLookedAt?: true;
  /** The first run is terminated where its task runs, and a second one is told of it. */
  isAdopted?: true;
}

/**
 * How long signs of a lost submit are waited for on a quick machine (ms), but in scenes that say otherwise: longer than
 * any takes.
 */
export const WAITS = 10_000;

/**
 * Times as in production, but in milliseconds. An event of a task that nobody is known to hold is kept for two seconds
 * before it is handed on: evidence that comes at once is there after three.
 */
const POLICY = {
  ...FAST,
  deadline: '1m',
  polling: { first: '2s', factor: 1, max: '2s' },
  submit: { timeout: '4s', heartbeat: '20s' },
  reconcile: { wait: WAITS, otherwise: 'resubmit' },
} as const;
/** Buys again when it has hardly looked. */
const SHORT = 300;
const HASTY = { wait: SHORT, otherwise: 'resubmit' } as const;
const ASK = { wait: SHORT, otherwise: 'ask' } as const;

/** Refusals are paced so that evidence comes between them. */
const PACED = {
  ...POLICY.retries,
  PROVIDER_UNAVAILABLE: { initial: '1s', factor: 1, max: '1s', window: '1m' },
};

/** What is rejected is bought once more, with another seed. */
const SEEDED = {
  ...POLICY.retries,
  CONTENT_REJECTED: { ...POLICY.retries['CONTENT_REJECTED'], resubmissions: 1 },
};

type Policy = Omit<Partial<typeof POLICY>, 'reconcile' | 'deadline' | 'retries' | 'submit'> & {
  retries?: object;
  submit?: object;
  reconcile?: object;
  deadline?: string;
};

/** A generation whose prompt is its place: equal to no other one. */
function picture(policy: Policy = {}, more: object = {}): Scene['starts'] {
  return (place) => [
    {
      type: 'generation',
      workflowId: `generation/${place}`,
      request: {
        model: 'image-l',
        input: { prompt: `a lighthouse ${place}` },
        workspace: place,
        ...more,
      },
      policy: { ...POLICY, ...policy },
    },
  ];
}

type Steps = PipelineRequest['steps'];

const still = (place: string, n = 1) => ({ model: 'image-l', input: { prompt: `a lighthouse ${place}`, n } });
const large = (reference: object) => ({ model: 'upscale-q', input: { image_url: reference } });

/** A pipeline, with no evidence that comes late. */
function film(steps: (place: string) => Steps, more: Partial<PipelineRequest> = {}): Scene['starts'] {
  return (place) => [
    {
      type: 'pipeline',
      workflowId: `pipeline/${place}`,
      request: { steps: steps(place), workspace: place, ...more },
      policy: POLICY,
    },
  ];
}

const TWO_STEPS = (place: string): Steps => ({ still: still(place), large: large({ $from: 'still' }) });
const TWO_STEPS_COST = 12;
const ROWS = ['first', 'second', 'third'] as const;

function batch(place: string, budget?: number): Start[] {
  const pipeline: PipelineRequest = {
    steps: { still: { model: 'image-l', input: { prompt: { $param: 'prompt' } } } },
    workspace: place,
  };
  const rows = ROWS.map((id) => {
    const values = { prompt: `a lighthouse ${place}, ${id}` };
    return { id, values, digest: rowDigest(pipeline, values) };
  });
  const workflowId = `batch/${place}`;
  return [
    {
      type: 'batch',
      workflowId,
      request: {},
      policy: POLICY,
      batch: { pipeline, rows, concurrency: 2, budget },
    },
  ];
}

/** Somebody's own workflow, on a worker of its own. */
function ownWorkflow(place: string, more: object = {}): Start[] {
  const request = { prompt: `a lighthouse ${place}`, workspace: place, ...more };
  return [{ type: 'own', workflowId: `own/${place}`, request, policy: POLICY }];
}

/** For the three rows, and for one of them twice. */
const BATCH_BUDGET = 32;
/** Of each place: for two pictures, and not for three. */
export const CAP = { tag: { cap: 'tight' }, per: 'ever', credits: 20, action: 'fail' } as const;

/** A sign of what a lost submit has bought is waited for so long, where its credits stand against another one, and more. */
const IN_DOUBT = 5 * 60_000;

const LOST = { on: 'submit', times: 1, fault: { kind: 'lost-after' } } as const;
const NEVER_TOLD = { on: 'webhook', fault: { kind: 'lost' } } as const;

/** One row a scene. */
export const SCENES: readonly Scene[] = [
  { name: 'happy', starts: picture() },
  {
    name: 'happy, never told',
    begins: 'before submitTask#1',
    starts: picture(),
    faults: (match) => [{ ...NEVER_TOLD, match }],
  },
  {
    name: 'happy, hasty',
    begins: 'before submitTask#1',
    starts: picture({ reconcile: HASTY }),
    waits: SHORT,
  },
  {
    name: 'refused and retried',
    begins: 'answered POST#1',
    starts: picture(),
    faults: (match) => [
      { on: 'submit', match, times: 2, fault: { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } },
    ],
  },
  {
    name: 'slowed down',
    begins: 'answered POST#1',
    starts: picture(),
    faults: (match) => [{ on: 'submit', match, times: 1, fault: { kind: 'error', code: 'RATE_LIMITED' } }],
  },
  {
    name: 'lost, told at once',
    begins: 'before submitTask#1',
    starts: picture(),
    faults: (match) => [{ ...LOST, match }],
  },
  {
    name: 'lost, told late',
    begins: 'before requestClaim#1',
    starts: picture({ reconcile: ASK }),
    waits: SHORT,
    evidenceComesWithin: 10_000,
    faults: (match) => [
      { ...LOST, match },
      { on: 'webhook', match, fault: { kind: 'late', ms: 1_500 } },
    ],
  },
  {
    name: 'lost, told at the end',
    begins: 'before requestClaim#1',
    starts: picture(),
    faults: (match) => [
      { ...LOST, match },
      { on: 'webhook', match: { ...match, event: 'task.created' }, fault: { kind: 'lost' } },
      { on: 'webhook', match: { ...match, event: 'task.started' }, fault: { kind: 'lost' } },
    ],
  },
  {
    name: 'lost, never told, bought again',
    begins: 'before submitTask#1',
    starts: picture({ reconcile: HASTY }),
    waits: SHORT,
    faults: (match) => [
      { ...LOST, match },
      { ...NEVER_TOLD, match },
    ],
  },
  ...(['adopt', 'resubmit', 'fail'] as const).map(
    (action): Scene => ({
      name: `asked, ${action}`,
      begins: action === 'adopt' ? 'before submitTask#1' : 'after withdrawClaim#1',
      starts: picture({ reconcile: ASK }),
      waits: SHORT,
      decides: action,
      ...(action === 'fail' ? { mayFailWith: ['SUBMISSION_UNKNOWN'] } : {}),
      faults: (match) => [
        { ...LOST, match },
        { ...NEVER_TOLD, match },
      ],
    }),
  ),
  {
    name: 'two equal ones lost',
    begins: 'before submitTask#1',
    starts: (place) =>
      ['', '-twin'].flatMap((mark) =>
        picture()(place).map((start) => ({ ...start, workflowId: `generation/${place}${mark}` })),
      ),
    faults: (match) => [{ ...LOST, times: 2, match }],
  },
  {
    name: 'failed and bought again',
    begins: 'answered POST#1',
    starts: picture(),
    faults: (match) => [{ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'TIMEOUT' } }],
  },
  {
    name: 'parked',
    begins: 'answered POST#1',
    starts: picture(),
    faults: (match) => [
      { on: 'submit', match, times: 1, fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' } },
    ],
  },
  {
    name: 'vanished',
    begins: 'answered POST#1',
    starts: picture({ reconcile: { wait: SHORT, otherwise: 'fail' } }),
    waits: SHORT,
    mayFailWith: ['TASK_VANISHED', 'SUBMISSION_UNKNOWN'],
    faults: (match) => [{ on: 'task', match, times: 1, fault: { kind: 'vanish' } }],
  },
  {
    name: 'overdue',
    begins: 'answered POST#1',
    starts: picture({ deadline: '700ms' }),
    mayFailWith: ['TASK_OVERDUE'],
    faults: (match) => [{ on: 'task', match, fault: { kind: 'hang' } }],
  },
  {
    name: 'files late',
    begins: 'before lookAtTask#1',
    starts: picture(),
    faults: (match) => [{ on: 'file', match, times: 2, fault: { kind: 'expired' } }],
  },
  {
    name: 'adopted',
    starts: picture(),
    isAdopted: true,
    faults: (match) => [{ on: 'task', match, times: 1, fault: { kind: 'hang' } }],
  },
  { name: 'from a template', begins: 'sent POST#1', starts: picture({}, { templateId: TEMPLATE }) },
  {
    name: 'a slow accept',
    begins: 'before submitTask#1',
    starts: picture({ reconcile: HASTY }),
    waits: SHORT,
    faults: (match) => [
      { on: 'submit', match, times: 1, fault: { kind: 'slow', ms: 2_000, when: 'before' } },
    ],
  },
  {
    name: 'a slow answer, looked at',
    begins: 'sent POST#1',
    starts: picture(),
    isLookedAt: true,
    faults: (match) => [{ on: 'submit', match, times: 1, fault: { kind: 'slow', ms: 1_000 } }],
  },
  {
    name: 'bought again, told meanwhile',
    begins: 'answered POST#1',
    starts: picture({ reconcile: HASTY, retries: PACED }),
    waits: SHORT,
    evidenceComesWithin: 10_000,
    faults: (match) => [
      { ...LOST, match },
      {
        on: 'submit',
        match,
        nth: [1, 2, 3, 4, 5, 6, 7, 8],
        fault: { kind: 'error', code: 'PROVIDER_UNAVAILABLE' },
      },
      { on: 'webhook', match, fault: { kind: 'late', ms: 1_500 } },
    ],
  },
  {
    name: 'rejected, another seed lost',
    begins: 'before submitTask#2',
    starts: (place) =>
      picture({ retries: SEEDED })(place).map((start) => ({
        ...start,
        request: { ...start.request, model: 'image-r', input: { prompt: `a lighthouse ${place}`, seed: 7 } },
      })),
    faults: (match) => [
      { on: 'task', match, times: 1, fault: { kind: 'fail', code: 'CONTENT_REJECTED' } },
      { ...LOST, match, nth: 2 },
    ],
  },
  {
    name: 'given up, then refused',
    begins: 'before submitTask#2',
    starts: picture({ reconcile: HASTY }),
    waits: SHORT,
    refused: 'CONTENT_REJECTED',
    faults: (match) => [
      { ...LOST, match },
      { on: 'submit', match, times: 1, fault: { kind: 'error', code: 'CONTENT_REJECTED' } },
      { on: 'webhook', match, fault: { kind: 'late', ms: 1_500 } },
    ],
  },
  {
    name: 'gone on as new, lost, told late',
    begins: 'answered POST#1',
    starts: picture(),
    stage: { longAfter: 9 },
    faults: (match) => [
      { ...LOST, match },
      { on: 'webhook', match, fault: { kind: 'late', ms: 6_000 } },
    ],
  },
  {
    name: 'two deployments, an equal one lost',
    starts: (place) => {
      const [start] = picture({ submit: { timeout: '30s', heartbeat: '20s' } })(place);
      if (start === undefined) return [];
      return [start, { ...start, workflowId: `${start.workflowId}-elsewhere`, isElsewhere: true }];
    },
    stage: { other: true },
    faults: (match) => {
      const elsewhere = { ...match, workflowIncludes: '-elsewhere' };
      return [
        { ...LOST, match: elsewhere },
        { ...NEVER_TOLD, match: elsewhere },
        { on: 'submit', match, times: 1, fault: { kind: 'slow', ms: 12_000 } },
      ];
    },
  },
  {
    name: 'capped',
    begins: 'sent POST#1',
    starts: picture({}, { tags: CAP.tag }),
    limit: CAP.credits,
    mayFailWith: ['BUDGET_EXCEEDED'],
  },
  { name: 'pipeline', starts: film(TWO_STEPS) },
  {
    name: 'pipeline, a step lost',
    begins: 'answered still:POST#1',
    starts: film(TWO_STEPS),
    faults: (match) => [{ ...LOST, match }],
  },
  {
    name: 'pipeline with a fan-out',
    twins: /^large\.1:/,
    begins: 'before reachOutputs#1',
    starts: film((place) => ({ still: still(place, 2), large: large({ $each: 'still' }) })),
  },
  {
    name: 'pipeline with an approval',
    begins: 'before still:lookAtTask#1',
    starts: film((place) => ({
      still: still(place),
      large: { ...large({ $from: 'still' }), approve: true },
    })),
  },
  {
    name: 'pipeline, approved, another input',
    begins: 'before still:lookAtTask#1',
    starts: film((place) => ({
      still: { ...still(place), approve: true },
      large: large({ $from: 'still' }),
    })),
    approves: { prompt: 'another lighthouse' },
  },
  {
    name: 'pipeline, held, another input',
    begins: 'before still:lookAtTask#1',
    starts: film((place) => ({
      still: { ...still(place), onFailure: 'hold' },
      large: large({ $from: 'still' }),
    })),
    resolves: { action: 'retry', input: { prompt: 'another lighthouse' } },
    faults: (match) => [{ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'CONTENT_REJECTED' } }],
  },
  {
    name: 'pipeline within its budget',
    begins: 'sent still:POST#1',
    starts: film(TWO_STEPS, { budget: { credits: TWO_STEPS_COST } }),
    limit: TWO_STEPS_COST,
    bound: IN_DOUBT,
  },
  { name: 'batch', twins: /^second[.:]/, starts: (place) => batch(place), rows: ROWS },
  {
    name: 'batch within its budget',
    begins: 'sent first:POST#1',
    twins: /^(second|third)[.:]/,
    starts: (place) => batch(place, BATCH_BUDGET),
    rows: ROWS,
    limit: BATCH_BUDGET,
    bound: IN_DOUBT,
    mayFailWith: ['BUDGET_EXCEEDED'],
  },
  { name: 'own workflow', starts: (place) => ownWorkflow(place) },
  {
    name: 'own workflow, in rounds',
    begins: 'before generation:lookAtTask#1',
    starts: (place) => ownWorkflow(place, { inRounds: true }),
    laterChild: 'large',
  },
  {
    name: 'own workflow, a child lost',
    begins: 'answered generation:POST#1',
    starts: (place) => ownWorkflow(place),
    faults: (match) => [{ ...LOST, match }],
  },
];
