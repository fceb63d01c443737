import type { Answer, Protocol, Refusal } from '../protocol.ts';

const REFUSALS: Readonly<Record<Refusal, Answer>> = {
  'rate limited': {
    status: 429,
    headers: { 'retry-after': '1' },
    body: { code: 'IMAGE_GENERATION_RATE_LIMITED', message: 'Rate limit exceeded; retry later' },
  },
  unavailable: {
    status: 503,
    body: {
      code: 'IMAGE_GENERATION_PROVIDER_UNAVAILABLE',
      message: 'Upstream provider temporarily unavailable',
    },
  },
  rejected: {
    status: 422,
    body: { code: 'IMAGE_GENERATION_CONTENT_REJECTED', message: 'The content was rejected' },
  },
};

/** The emulator's own way of talking. */
export const mediaApi: Protocol = {
  read(method, path, body) {
    if (method === 'POST') {
      const input = JSON.parse(body) as { prompt: string };
      return { kind: 'submit', input, isHeld: false };
    }
    const taskId = /\/generation\/([^/?]+)$/.exec(path)?.[1];
    return taskId === undefined ? undefined : { kind: 'record', taskId, view: 'result' };
  },
  accepted: (task) => ({ status: 201, body: task }),
  record: (task) => ({ status: 200, body: task }),
  refused: (refusal) => REFUSALS[refusal],
};
