import { describe, expect } from 'vitest';
import { GENERATION_CODES, type GenerationCode } from '../../../src/api/codes.ts';
import { FAMILIES } from '../../../src/api/family.ts';
import { MODELS } from '../../../src/api/models/registry.ts';
import { accepted, refused, wireCode } from './answers.ts';
import type { Answer } from './caller.ts';
import { type Check, needing } from './check.ts';
import type { Account, Target } from './target.ts';

const PROMPT = { prompt: 'a fox' };
const IMAGE = MODELS['image-l'];
const OF_FAMILY = { speech: MODELS['speech-b'], image: IMAGE, video: MODELS['video-g'] } as const;

/** Submits that are refused: every code, and the ways to come by those that need no fault. */
export function refusals(check: Check): void {
  describe('a submit', () => {
    for (const family of FAMILIES) {
      for (const code of GENERATION_CODES) {
        check(`to the ${family} family can be refused with ${code}`, async (target) => {
          const { workspace, caller } = await target.account();
          const rule = { on: 'submit', match: { workspace }, fault: { kind: 'error', code } } as const;
          const input = family === 'speech' ? { text: 'x' } : PROMPT;
          const answer = await target.control.during(rule, () => caller.submit(OF_FAMILY[family], input));
          const { error } = refused(answer, wireCode(code, family));
          expect(error).toBe(code === 'INSUFFICIENT_CREDITS' ? code : undefined);
        });
      }
    }

    check('has two responses with FAILED, of different statuses', async (target) => {
      const { workspace, caller } = await target.account();
      for (const status of [400, 500]) {
        const fault = { kind: 'error', code: 'FAILED', status } as const;
        const rule = { on: 'submit', match: { workspace }, fault } as const;
        const answer = await target.control.during(rule, () => caller.submit(IMAGE, PROMPT));
        refused(answer, 'IMAGE_GENERATION_FAILED', status);
      }
    });
  });

  describe('the errors of a refused submit', () => {
    check('name every mistake, also a broken rule beside a wrong field', async (target) => {
      void target.control; // how a path and a code are written is not shown
      const { caller } = await target.account();
      const answer = await caller.submit(MODELS['video-i'], { prompt: 5, bgm: true, duration: 5, n: 9 });
      const { errors = [] } = refused(answer, 'VIDEO_GENERATION_INVALID_INPUT', 422);
      expect(errors.map(({ path, code }) => [path, code])).toEqual([
        ['prompt', 'invalid_type'],
        ['n', 'too_big'],
        ['duration', 'custom'],
      ]);
    });
  });

  describe('a refused submit costs nothing:', () => {
    const unpaid = (why: string, code: GenerationCode, provoke: Provoke): void => {
      needing(
        check,
        'error bodies',
        'balance',
        'charges',
      )(`${why} is ${code}`, async (target) => {
        const account = await target.account();
        const before = await account.caller.call('GET', 'credits');
        refused(await provoke(account, target), wireCode(code, IMAGE.family));
        expect((await account.caller.call('GET', 'credits')).body).toEqual(before.body);
      });
    };
    unpaid('a body that is no JSON', 'INVALID_INPUT', ({ caller }, target) =>
      caller.post(pathOf(target), '{"prompt":'),
    );
    unpaid('a body that is no object', 'INVALID_INPUT', ({ caller }, target) =>
      caller.post(pathOf(target), '[]'),
    );
    unpaid('a body that is nested beyond reason', 'INVALID_INPUT', ({ caller }, target) =>
      assumed(target, () =>
        caller.post(IMAGE.path, `{"prompt":"x","deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
      ),
    );
    unpaid('content that the moderation rejects', 'CONTENT_REJECTED', ({ caller }, target) =>
      assumed(target, () => caller.submit(IMAGE, { prompt: 'a [[reject]] b' })),
    );
    unpaid('a template that does not exist', 'TEMPLATE_NOT_FOUND', ({ caller }, target) =>
      assumed(target, () => caller.submit(IMAGE, { ...PROMPT, template_id: 'no-such-template' })),
    );
    unpaid('a workspace that the key may not use', 'WORKSPACE_FORBIDDEN', ({ caller }, target) =>
      assumed(target, () => caller.submit(IMAGE, PROMPT, { headers: { 'x-workspace': 'default' } })),
    );
  });

  describe('authentication', () => {
    const post = { body: PROMPT };
    for (const [what, authorization] of [
      ['no key', null],
      ['a wrong key', 'Bearer no-such-key'],
      ['another scheme than Bearer', 'Basic eDp5'],
    ] as const) {
      const title = `with ${what} is refused with 401 UNAUTHORIZED everywhere`;
      needing(
        check,
        'authentication',
        'error bodies',
      )(title, async (target) => {
        const { caller } = target;
        const path = pathOf(target);
        refused(await caller.call('POST', path, { ...post, authorization }), 'UNAUTHORIZED', 401);
        refused(await caller.call('GET', 'generation/x', { authorization }), 'UNAUTHORIZED', 401);
        if (target.has('balance'))
          refused(await caller.call('GET', 'credits', { authorization }), 'UNAUTHORIZED', 401);
      });
    }

    check('with a revoked key is refused at once', async (target) => {
      void target.control; // keys are revoked in the dashboard
      const { caller, keyId } = await target.account();
      accepted(await caller.submit(IMAGE, PROMPT));
      await target.control.do(`POST /keys/${keyId}/revoke`);
      refused(await caller.submit(IMAGE, PROMPT), 'UNAUTHORIZED', 401);
      refused(await caller.call('GET', 'credits'), 'UNAUTHORIZED', 401);
    });

    check('with a key of narrower scope is refused with WORKSPACE_FORBIDDEN', async (target) => {
      const { caller } = await target.account({}, { scope: ['read'] });
      refused(await caller.submit(IMAGE, PROMPT), 'WORKSPACE_FORBIDDEN');
      refused(await caller.call('GET', 'credits'), 'WORKSPACE_FORBIDDEN');
      refused(await caller.call('GET', 'generation/x'), 'PREDICTION_NOT_FOUND', 404);
    });
  });

  describe('a limit', () => {
    check('of credits refuses with INSUFFICIENT_CREDITS and its unprefixed legacy error', async (target) => {
      const { caller } = await target.account({ credits: { permanent: 0 } });
      const { error } = refused(await caller.submit(IMAGE, PROMPT), 'IMAGE_GENERATION_INSUFFICIENT_CREDITS');
      expect(error).toBe('INSUFFICIENT_CREDITS');
    });

    check('of the rate refuses with RATE_LIMITED until it is over', async (target) => {
      const rateLimit = { limit: 1, windowMs: 1000, retryAfter: 'seconds' };
      const { workspace, caller } = await target.account({ rateLimit });
      accepted(await caller.submit(IMAGE, PROMPT));
      const answer = await caller.submit(IMAGE, PROMPT);
      refused(answer, 'IMAGE_GENERATION_RATE_LIMITED');
      expect(answer.headers.get('retry-after')).toBe('1');
      await target.control.do(`PATCH /workspaces/${workspace}`, { rateLimit: null });
      accepted(await caller.submit(IMAGE, PROMPT));
    });
  });
}

/** Where a submit of an image goes. */
function pathOf({ settings }: Target): string {
  return settings.overrides[IMAGE.id]?.path ?? IMAGE.path;
}

/** A request by a guess of the emulator's. @throws NotHere elsewhere */
async function assumed(target: Target, request: () => Promise<Answer>): Promise<Answer> {
  void target.control; // throws where there is none
  return await request();
}

type Provoke = (account: Account, target: Target) => Promise<Answer>;
