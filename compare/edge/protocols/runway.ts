import { type Answer, fileUrls, type Protocol, type Refusal } from '../protocol.ts';

export const RUNWAY_FILES = 'dnznrvs05pmza.cloudfront.net';

const STATUSES = {
  IN_QUEUE: 'PENDING',
  IN_PROGRESS: 'RUNNING',
  COMPLETED: 'SUCCEEDED',
  FAILED: 'FAILED',
  CANCELED: 'CANCELLED',
} as const;

const REFUSALS: Readonly<Record<Refusal, Answer>> = {
  'rate limited': { status: 429, headers: { 'retry-after': '1' }, body: { error: 'Too many requests' } },
  unavailable: { status: 503, body: { error: 'Runway is shedding load' } },
  rejected: { status: 400, body: { error: 'The content was rejected' } },
};

/** Runway's tasks: create, retrieve. https://docs.dev.runwayml.com/api */
export const runway: Protocol = {
  read(method, path, body) {
    if (method === 'POST') {
      const { promptText } = JSON.parse(body) as { promptText: string };
      return { kind: 'submit', input: { prompt: promptText }, isHeld: false };
    }
    const taskId = /\/v1\/tasks\/([^/?]+)$/.exec(path)?.[1];
    return taskId === undefined ? undefined : { kind: 'record', taskId, view: 'result' };
  },
  accepted: ({ id }) => ({ status: 200, body: { id, estimatedCost: { credits: 5 } } }),
  record: (task) => ({
    status: 200,
    body: {
      id: task.id,
      createdAt: new Date().toISOString(),
      status: STATUSES[task.status],
      ...(task.data === null ? {} : { output: fileUrls(task, RUNWAY_FILES), cost: { credits: 5 } }),
      ...(task.message === undefined ? {} : { failure: task.message }),
    },
  }),
  refused: (refusal) => REFUSALS[refusal],
};
