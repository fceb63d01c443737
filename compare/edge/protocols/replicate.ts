import { type Answer, fileUrls, type Protocol, type Refusal, type TaskRecord } from '../protocol.ts';

export const REPLICATE_FILES = 'replicate.delivery';

const STATUSES = {
  IN_QUEUE: 'starting',
  IN_PROGRESS: 'processing',
  COMPLETED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'canceled',
} as const;

const REFUSALS: Readonly<Record<Refusal, Answer>> = {
  'rate limited': {
    status: 429,
    headers: { 'retry-after': '1' },
    body: {
      title: 'Too Many Requests',
      detail: 'Request was throttled. Expected available in 1 second.',
      status: 429,
    },
  },
  unavailable: { status: 503, body: { title: 'Service unavailable', status: 503 } },
  rejected: {
    status: 422,
    body: { title: 'Input validation failed', detail: 'The content was rejected', status: 422 },
  },
};

/** Replicate's predictions: create, get. https://replicate.com/docs/reference/http#predictions.create */
export const replicate: Protocol = {
  read(method, path, body) {
    if (method === 'POST') {
      const { input } = JSON.parse(body) as { input: { prompt: string } };
      return { kind: 'submit', input, isHeld: false };
    }
    const taskId = /\/predictions\/([^/?]+)$/.exec(path)?.[1];
    return taskId === undefined ? undefined : { kind: 'record', taskId, view: 'result' };
  },
  accepted: (task) => ({ status: 201, body: prediction(task) }),
  record: (task) => ({ status: 200, body: prediction(task) }),
  refused: (refusal) => REFUSALS[refusal],
};

function prediction(task: TaskRecord): object {
  return {
    id: task.id,
    model: 'black-forest-labs/flux-schnell',
    status: STATUSES[task.status],
    output: task.data === null ? null : fileUrls(task, REPLICATE_FILES),
    error: task.message ?? null,
    logs: '',
    urls: { get: `https://api.replicate.com/v1/predictions/${task.id}` },
  };
}
