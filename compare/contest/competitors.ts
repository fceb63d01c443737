import { fileURLToPath } from 'node:url';
import type { Protocol } from '../edge/protocol.ts';
import { FAL_FILES, fal } from '../edge/protocols/fal.ts';
import { mediaApi } from '../edge/protocols/media-api.ts';
import { REPLICATE_FILES, replicate } from '../edge/protocols/replicate.ts';
import { RUNWAY_FILES, runway } from '../edge/protocols/runway.ts';

export type CompetitorName =
  | 'fal'
  | 'replicate'
  | 'runway'
  | 'ai-sdk'
  | 'poll-in-activity'
  | 'by-hand'
  | 'darkroom';

export interface Competitor {
  /** As the tables call it. */
  title: string;
  /** The caller's module. */
  file: string;
  protocol: Protocol;
  /** The hosts that its package asks; those of the files lead to the emulator itself. */
  hosts: readonly string[];
  fileHost?: string;
  /** Its workflows' task queue; absent where it uses no Temporal. */
  taskQueue?: string;
  /** The events that it has sent to it. */
  webhooks?: 'all' | 'ends';
  /** Whether it asks for a task while it waits: by that it is known to have the task's id. */
  polls: boolean;
  /** The workflow id of an order. */
  workflowId?: (order: number) => string;
}

const caller = (path: string): string => fileURLToPath(new URL(`../callers/${path}`, import.meta.url));
const workflowId = (order: number): string => `generation/order-${order}`;

export const COMPETITORS: Readonly<Record<CompetitorName, Competitor>> = {
  fal: {
    title: '@fal-ai/client',
    file: caller('packages/fal.ts'),
    protocol: fal,
    hosts: ['queue.fal.run', 'fal.run'],
    fileHost: FAL_FILES,
    polls: true,
  },
  replicate: {
    title: 'replicate',
    file: caller('packages/replicate.ts'),
    protocol: replicate,
    hosts: ['api.replicate.com'],
    fileHost: REPLICATE_FILES,
    polls: true,
  },
  runway: {
    title: '@runwayml/sdk',
    file: caller('packages/runway.ts'),
    protocol: runway,
    hosts: ['api.dev.runwayml.com'],
    fileHost: RUNWAY_FILES,
    polls: true,
  },
  'ai-sdk': {
    title: '@ai-sdk/fal',
    file: caller('packages/ai-sdk.ts'),
    protocol: fal,
    hosts: ['fal.run'],
    fileHost: FAL_FILES,
    polls: false,
  },
  'poll-in-activity': {
    title: 'polling activity',
    file: caller('poll-in-activity/caller.ts'),
    protocol: mediaApi,
    hosts: [],
    taskQueue: 'poll-in-activity',
    polls: true,
    workflowId,
  },
  'by-hand': {
    title: 'webhooks by hand',
    file: caller('by-hand/caller.ts'),
    protocol: mediaApi,
    hosts: [],
    taskQueue: 'by-hand',
    webhooks: 'ends',
    polls: false,
    workflowId,
  },
  darkroom: {
    title: 'Darkroom',
    file: caller('darkroom.ts'),
    protocol: mediaApi,
    hosts: [],
    taskQueue: 'darkroom',
    webhooks: 'all',
    polls: false,
    workflowId,
  },
};

export const NAMES = Object.keys(COMPETITORS) as CompetitorName[]; // the table's own keys
