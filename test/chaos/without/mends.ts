import { Context } from '@temporalio/activity';
import { NO_USAGE } from '../../../src/api/records/usage.ts';
import type { DarkroomActivities } from '../../../src/contract/activities.ts';

interface Mend {
  /** What a worker without it does. */
  does: string;
  activities: (activities: DarkroomActivities) => DarkroomActivities;
  /** Laid over the storm's policy. */
  policy: object;
}

/** What keeps the promise, taken out again one by one: the storm's verdict has to fail without each of them. */
export const MENDS = {
  reconcile: {
    does: 'buys again whatever lost its answer',
    activities: (activities) => ({
      ...activities,
      submitTask: async (request) => {
        const end = await activities.submitTask(request);
        return end.kind === 'unknown' ? await activities.submitTask(request) : end;
      },
    }),
    policy: {},
  },
  'earlier-purchases': {
    does: 'does not look what earlier runs have bought',
    activities: (activities) => ({
      ...activities,
      submitTask: (submit) => {
        const request = { ...(submit.request as object), earlierRun: undefined }; // its workflow's own
        const { runId = '' } = Context.current().info.workflowExecution ?? {};
        return activities.submitTask({ ...submit, request, firstRunId: runId });
      },
    }),
    policy: {},
  },
  'waiting-for-files': {
    does: 'gives up a file that cannot be fetched after one fresh record',
    activities: (activities) => ({
      ...activities,
      lookAtTask: async (request) => {
        const look = await activities.lookAtTask(request);
        if (look.kind !== 'completed' || look.files.kind !== 'delayed') return look;
        return { ...look, files: { ...look.files, kind: 'gone' } };
      },
    }),
    policy: {},
  },
  'waiting-for-records': {
    does: 'takes the first 404 for the end of a task',
    activities: (activities) => ({
      ...activities,
      lookAtTask: async (request) => {
        const look = await activities.lookAtTask(request);
        if (look.kind !== 'not-found') return look;
        return { kind: 'ended', status: 'FAILED', usage: NO_USAGE, code: null, message: null };
      },
    }),
    policy: {},
  },
} as const satisfies Record<string, Mend>;

export type MendName = keyof typeof MENDS;

export const MEND_NAMES = Object.keys(MENDS) as MendName[]; // the keys of a constant

export function isMendName(name: string): name is MendName {
  return Object.hasOwn(MENDS, name);
}
