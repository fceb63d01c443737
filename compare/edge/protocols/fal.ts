import { type Answer, fileUrls, type Protocol, type Refusal, type TaskRecord } from '../protocol.ts';

export const FAL_FILES = 'v3.fal.media';
const QUEUE = 'https://queue.fal.run/fal-ai/flux';

const STATUSES = {
  IN_QUEUE: 'IN_QUEUE',
  IN_PROGRESS: 'IN_PROGRESS',
  COMPLETED: 'COMPLETED',
  FAILED: 'COMPLETED',
  CANCELED: 'COMPLETED',
} as const;

const REFUSALS: Readonly<Record<Refusal, Answer>> = {
  'rate limited': { status: 429, headers: { 'retry-after': '1' }, body: { detail: 'Too many requests' } },
  unavailable: { status: 503, body: { detail: 'Service unavailable' } },
  rejected: {
    status: 422,
    body: {
      detail: [
        { loc: ['body', 'prompt'], msg: 'The content was rejected', type: 'content_policy_violation' },
      ],
    },
  },
};

/**
 * fal's queue (queue.fal.run: submit, status, result) and its direct endpoint (fal.run), whose answer to the POST is
 * the result. https://docs.fal.ai/model-apis/model-endpoints/queue
 */
export const fal: Protocol = {
  read(method, path, body) {
    const [host = '', ...rest] = path.slice(1).split('/');
    if (method === 'POST') {
      const { prompt } = JSON.parse(body) as { prompt: string };
      return { kind: 'submit', input: { prompt }, isHeld: host === 'fal.run' };
    }
    const [, taskId, status] = /\/requests\/([^/?]+)(\/status)?/.exec(`/${rest.join('/')}`) ?? [];
    if (taskId === undefined) return undefined;
    return { kind: 'record', taskId, view: status === undefined ? 'result' : 'status' };
  },
  accepted: (task) => ({ status: 200, body: { ...queued(task), status: 'IN_QUEUE', queue_position: 0 } }),
  record(task, view) {
    if (view === 'status') {
      const status = STATUSES[task.status];
      return { status: status === 'COMPLETED' ? 200 : 202, body: { ...queued(task), status } };
    }
    const headers = { 'x-fal-request-id': task.id };
    if (task.data === null) return { status: 422, headers, body: { detail: task.message } };
    const { width, height, content_type } = task.data.images[0] ?? {};
    const images = fileUrls(task, FAL_FILES).map((url) => ({ url, width, height, content_type }));
    return { status: 200, headers, body: { images, prompt: '', seed: 1, has_nsfw_concepts: [false] } };
  },
  refused: (refusal) => REFUSALS[refusal],
};

function queued({ id }: TaskRecord): object {
  const url = `${QUEUE}/requests/${id}`;
  return {
    request_id: id,
    response_url: url,
    status_url: `${url}/status`,
    cancel_url: `${url}/cancel`,
  };
}
