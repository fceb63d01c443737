import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { GENERATION_CODES, GET_CODES } from '../../../src/api/codes.ts';
import { FAMILIES, type Family } from '../../../src/api/family.ts';
import { MODELS } from '../../../src/api/models/registry.ts';
import { QUEUE_STATES, type QueueState } from '../../../src/api/records/generation-record.ts';
import { outputAssets } from '../../../src/api/records/output-assets.ts';
import { accepted, refused, wireCode } from './answers.ts';
import type { Answer, Caller } from './caller.ts';
import { type Check, needing } from './check.ts';
import type { Account, Target } from './target.ts';

/** A model of each family, with an input that needs no file. */
const OF_FAMILY = {
  speech: { model: MODELS['speech-b'], input: { text: 'Good evening.' } },
  image: { model: MODELS['image-l'], input: { prompt: 'a fox' } },
  video: { model: MODELS['video-g'], input: { prompt: 'a fox' } },
} as const satisfies Record<Family, unknown>;

const IMAGE = OF_FAMILY.image;

/** Reading tasks: their record in every state, and the table of statuses and codes. */
export function records(check: Check): void {
  describe('a record', () => {
    check(
      'has exactly its properties in every state, data only when the task has completed, a code only when it has failed',
      async (target) => {
        const account = await target.account();
        const { caller } = account;
        const seen = new Set<QueueState>();
        // Every record on the way is parsed by the strict contract.
        const watch = async (id: string, until: QueueState): Promise<void> => {
          await caller.recordWhen(id, ({ status, ...rest }) => {
            expect(['code' in rest, 'message' in rest]).toEqual([status === 'FAILED', status === 'FAILED']);
            return seen.add(status) && status === until;
          });
        };
        await watch(await bought(target, account, { kind: 'hang' }), 'IN_PROGRESS');
        await watch(await bought(target, account, { kind: 'fail' }), 'FAILED');
        await watch(await bought(target, account, { kind: 'cancel' }), 'CANCELED');
        const { id, status } = accepted(await caller.submit(IMAGE.model, IMAGE.input));
        seen.add(status);
        await watch(id, 'COMPLETED');
        expect([...seen].toSorted()).toEqual([...QUEUE_STATES].toSorted());
      },
    );

    check('may have a bare URI as its data', async (target) => {
      void target.control; // which models' data is one is not shown
      const { caller } = await target.account();
      const url = 'https://example.com/video.mp4';
      const { id } = accepted(await caller.submit(MODELS['lip-sync-h'], { video_url: url, audio_url: url }));
      const { data } = await caller.recordWhen(id);
      expect([typeof data, outputAssets(data).map(({ url }) => url)]).toEqual(['string', [data]]);
    });

    check(
      'has a usage whose total is what both pools gave, and the same from the submit on',
      async (target) => {
        const { caller } = await target.account({ credits: { subscription: 5, permanent: 100 } });
        const submitted = accepted(await caller.submit(IMAGE.model, IMAGE.input));
        const { usage } = await caller.recordWhen(submitted.id);
        expect(usage).toEqual(submitted.usage);
        expect(usage.total).toBe(usage.subscription + usage.permanent);
        expect([usage.subscription, usage.permanent > 0]).toEqual([5, true]);
      },
    );

    check('that is terminal never moves back', async (target) => {
      const account = await target.account();
      const id = await bought(target, account, { kind: 'cancel' });
      const canceled = await account.caller.recordWhen(id);
      const starting = target.control.do(`POST /tasks/${id}/start`);
      await expect(starting).rejects.toThrow('409');
      expect(await account.caller.record(id)).toEqual(canceled);
    });
  });

  describe('a failed task', () => {
    for (const family of FAMILIES) {
      for (const code of GENERATION_CODES) {
        check(`of the ${family} family can carry ${code}, with a message and no data`, async (target) => {
          const account = await target.account();
          const id = await bought(target, account, { kind: 'fail', code }, family);
          const record = await account.caller.recordWhen(id);
          expect([record.status, record.code]).toEqual(['FAILED', wireCode(code, family)]);
          expect(record).toMatchObject({ data: null, message: expect.stringMatching(/\w/) });
        });
      }
    }
  });

  describe('GET generation/{id}', () => {
    const provoked: Record<keyof typeof GET_CODES, (target: Target) => Promise<Answer>> = {
      400: (target) => emulated(target).call('GET', 'generation/%E0%A4%A'),
      401: ({ caller }) => caller.call('GET', 'generation/x', { authorization: 'Bearer no-such-key' }),
      403: async (target) => {
        void target.control; // another workspace is needed
        const [owner, stranger] = [await target.account(), await target.account()];
        const { id } = accepted(await owner.caller.submit(IMAGE.model, IMAGE.input));
        return await stranger.caller.call('GET', `generation/${id}`);
      },
      404: ({ caller }) => caller.call('GET', `generation/${randomUUID()}`),
      422: (target) => emulated(target).call('GET', 'generation/not*an*id'),
    };
    for (const status of [400, 401, 403, 404, 422] as const) {
      needing(
        check,
        'error bodies',
        ...(status === 401 ? (['authentication'] as const) : []),
      )(`answers ${status} with ${GET_CODES[status]}`, async (target) => {
        refused(await provoked[status](target), GET_CODES[status], status);
      });
    }

    check('answers 200 for a task of its workspace, 404 for one that is gone', async (target) => {
      const { caller } = await target.account();
      const { id } = accepted(await caller.submit(IMAGE.model, IMAGE.input));
      expect((await caller.record(id)).id).toBe(id);
      await target.control.do(`POST /tasks/${id}/vanish`);
      refused(await caller.call('GET', `generation/${id}`), 'PREDICTION_NOT_FOUND', 404);
    });
  });
}

/** Which ids are 400 and which are 422 is not shown, so only the emulator is asked for them. @throws NotHere elsewhere */
function emulated(target: Target): Caller {
  void target.control; // throws where there is none
  return target.caller;
}

/** A task with a fate of its own. @returns its id */
async function bought(
  { control }: Target,
  { workspace, caller }: Account,
  fault: { kind: 'hang' | 'cancel' } | { kind: 'fail'; code?: (typeof GENERATION_CODES)[number] },
  family: Family = 'image',
): Promise<string> {
  const { model, input } = OF_FAMILY[family];
  const rule = { on: 'task', match: { workspace }, fault } as const;
  return accepted(await control.during(rule, () => caller.submit(model, input))).id;
}
