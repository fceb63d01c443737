import { fileURLToPath } from 'node:url';

/** Who is measured: the product, and two baselines. */
export type ContenderName = 'darkroom' | 'byhand' | 'floor';

/** What is generated. */
export interface RequestOptions {
  model?: string;
  input?: object;
  prompt?: string;
  /** Darkroom's only. */
  policy?: object;
}

interface ContenderKind {
  /** Its program. */
  file: string;
  /** Its workspace at the media API, and its task queue. */
  workspace: string;
  workflow: string;
  /** The workflow's arguments. */
  args: (request: RequestOptions) => unknown[];
  /** The events that its endpoint takes; absent: all. By hand one takes those that one waits for. */
  events?: string[];
}

const ENDS = ['task.completed', 'task.failed', 'task.canceled'];

/** As both plain workers take it; Darkroom's request is made of it. */
function plain({
  model = 'image-l',
  prompt = 'a lighthouse at dawn',
  input = { prompt },
}: RequestOptions): [string, object] {
  return [model, input];
}

/** A contender's task queue. */
export function taskQueueOf(name: ContenderName): string {
  return `bench-${name}`;
}

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const CONTENDERS: Readonly<Record<ContenderName, ContenderKind>> = {
  darkroom: {
    file: file('../../src/worker.ts'),
    workspace: 'default',
    workflow: 'generation',
    args: (request) => {
      const [model, input] = plain(request);
      return [{ model, input, ...(request.policy === undefined ? {} : { policy: request.policy }) }];
    },
  },
  byhand: {
    file: file('../by-hand/worker.ts'),
    workspace: 'by-hand',
    workflow: 'generateByHand',
    args: plain,
    events: ENDS,
  },
  floor: {
    file: file('../floor/worker.ts'),
    workspace: 'floor',
    workflow: 'floor',
    args: plain,
    events: ENDS,
  },
};
