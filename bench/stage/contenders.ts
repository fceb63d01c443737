import { fileURLToPath } from 'node:url';

/** Who is measured: the product, and two baselines. */
export type ContenderName = 'darkroom' | 'byhand' | 'floor';

export interface ContenderKind {
  /** Its program. */
  file: string;
  /** Its workspace at the media API, and its task queue. */
  workspace: string;
  workflow: string;
  /** The workflow's arguments for a prompt. */
  args(prompt: string, policy?: object): unknown[];
  /** The events that its endpoint takes; absent: all. By hand one takes those that one waits for. */
  events?: string[];
}

const ENDS = ['task.completed', 'task.failed', 'task.canceled'];
const MODEL = 'image-l';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const CONTENDERS: Readonly<Record<ContenderName, ContenderKind>> = {
  darkroom: {
    file: file('../../src/worker.ts'),
    workspace: 'default',
    workflow: 'generation',
    args: (prompt, policy) => [
      { model: MODEL, input: { prompt }, ...(policy === undefined ? {} : { policy }) },
    ],
  },
  byhand: {
    file: file('../by-hand/worker.ts'),
    workspace: 'by-hand',
    workflow: 'generateByHand',
    args: (prompt) => [MODEL, { prompt }],
    events: ENDS,
  },
  floor: {
    file: file('../floor/worker.ts'),
    workspace: 'floor',
    workflow: 'floor',
    args: (prompt) => [MODEL, { prompt }],
    events: ENDS,
  },
};
