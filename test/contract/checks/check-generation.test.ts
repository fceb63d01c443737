import { describe, expect, it } from 'vitest';
import { checkGenerationRequest } from '../../../src/contract/checks/check-generation.ts';

const deps = {
  models: {},
  policy: {},
  workspaces: new Map([['default', { takesWebhooks: true }]]),
  callbacks: { prefixes: ['https://hooks.example.com/done', 'https://open.example/'], isSigned: true },
};
const image = { model: 'image-l', input: { prompt: 'a lighthouse at dawn' } };
const RUN = '0f3e6c52-1c2d-4e5f-8a9b-0123456789aB';
const REASON = { type: 'OUTPUT_UNAVAILABLE', message: 'its input is gone' };

/** What is wrong, as `path: message`. */
function wrong(request: unknown, also: object = {}): string[] {
  const check = checkGenerationRequest(request, { ...deps, ...also });
  return check.ok ? [] : check.errors.map(({ path, message }) => `${path}: ${message}`);
}

const CALLBACK = 'callback: must be an http(s) URL without a user name, like https://hooks.example.com/done';
const BELOW =
  'callback: is below none of the callbacks in the worker\'s DARKROOM_CONFIG: { "callbacks": ["https://hooks.example.com/"] }';
const LENGTHS = 'sourceSeconds: must have seconds by field, as a pipeline gives them';
const ABOVE = 'budgetsAbove: must be a list of { workflowId, credits }, as a pipeline gives it';
const ADOPT = 'adoptOnly: must be { type, message }; types: ';

describe('a request for a generation', () => {
  it.each([
    {},
    { templateId: 'tpl_poster' },
    { callback: 'https://hooks.example.com/done' },
    { callback: 'https://hooks.example.com/done/1?x=2' },
    { callback: 'https://open.example/anything' },
    { earlierRun: RUN },
    { earlierRun: RUN, adoptOnly: REASON },
    { budgetsAbove: [] },
    { budgetsAbove: Array.from({ length: 4 }, () => ({ workflowId: 'w'.repeat(255), credits: 0 })) },
    { workspace: 'default', tags: { team: 'film' }, policy: { deadline: '5m' } },
  ])('may have %j', (more) => {
    expect(wrong({ ...image, ...more })).toEqual([]);
  });

  it.each<[object, string]>([
    [{ workspace: 'other' }, 'workspace: is not configured on this worker'],
    [{ workspace: 7 }, 'workspace: is not configured on this worker'],
    [{ callback: 7 }, CALLBACK],
    [{ callback: 'ftp://hooks.example.com/done' }, CALLBACK],
    [{ callback: 'https://me@hooks.example.com/done' }, CALLBACK],
    [{ callback: 'https://:pw@hooks.example.com/done' }, CALLBACK],
    [{ callback: `https://open.example/${'x'.repeat(2_048)}` }, CALLBACK],
    [{ callback: 'https://hooks.example.com/donesoon' }, BELOW],
    [{ callback: 'https://hooks.example.com/' }, BELOW],
    [{ callback: 'http://hooks.example.com/done' }, BELOW],
    [
      { earlierRun: 'last' },
      'earlierRun: must be a run id of this workflow id, as the Temporal Web UI shows it: 8-4-4-4-12 hexadecimal digits',
    ],
    [{ adoptOnly: REASON }, 'adoptOnly: needs an earlierRun to adopt from'],
    [{ budgetsAbove: {} }, ABOVE],
    [{ budgetsAbove: [7] }, ABOVE],
    [{ budgetsAbove: [{ workflowId: '', credits: 1 }] }, ABOVE],
    [{ budgetsAbove: [{ workflowId: 'w'.repeat(256), credits: 1 }] }, ABOVE],
    [{ budgetsAbove: [{ workflowId: 'w', credits: -1 }] }, ABOVE],
    [{ budgetsAbove: [{ workflowId: 'w', credits: Number.MAX_SAFE_INTEGER }] }, ABOVE],
    [{ budgetsAbove: [{ workflowId: 'w', credits: '1' }] }, ABOVE],
    [{ budgetsAbove: [{ workflowId: 'w', credits: 1, more: 1 }] }, ABOVE],
    [{ budgetsAbove: Array.from({ length: 5 }, () => ({ workflowId: 'w', credits: 1 })) }, ABOVE],
    [{ sourceSeconds: 4 }, LENGTHS],
    [{ sourceSeconds: { video_url: '4' } }, LENGTHS],
    [{ sourceSeconds: { video_url: -4 } }, LENGTHS],
    [
      { colour: 1 },
      'colour: is not known; allowed: model, input, templateId, workspace, policy, tags, callback, earlierRun, adoptOnly, budgetsAbove, sourceSeconds',
    ],
    [{ model: 7 }, "model: must be a model's id, like image-l (starter models lists them)"],
  ])('may not have %j', (more, says) => {
    expect(wrong({ ...image, ...more })).toEqual([says]);
  });

  it.each([7, { ...REASON, type: 'GONE' }, { ...REASON, message: 7 }, { ...REASON, more: 1 }])(
    'adopts for no reason like %j',
    (adoptOnly) => {
      const [says = '', ...more] = wrong({ ...image, earlierRun: RUN, adoptOnly });
      expect(more).toEqual([]);
      expect(says.startsWith(ADOPT)).toBe(true);
      expect(says).toContain('OUTPUT_UNAVAILABLE');
    },
  );

  it('has an input where nobody can tell of which model', () => {
    expect(wrong({ model: 7, input: 7 })).toEqual([
      "model: must be a model's id, like image-l (starter models lists them)",
      "input: must be an object of the model's fields",
    ]);
  });

  it.each([undefined, null, 'text', []])('is an object, not %j', (request) => {
    expect(wrong(request)).toEqual(['request: must be an object with model and input']);
  });

  it('has a callback where the worker can sign it, and any where its rules are not known', () => {
    const request = { ...image, callback: 'https://open.example/' };
    const unsigned = { callbacks: { ...deps.callbacks, isSigned: false } };
    expect(wrong(request, unsigned)).toEqual([
      'callback: cannot be signed: set DARKROOM_CALLBACK_SECRET on the worker',
    ]);
    expect(wrong({ ...image, callback: 'https://else.example/' }, { callbacks: undefined })).toEqual([]);
  });

  it('is told what follows from it', () => {
    expect(checkGenerationRequest({ ...image, policy: { deadline: '5m' } }, deps)).toMatchObject({
      ok: true,
      family: 'image',
      policy: { deadline: 300_000 },
    });
  });
});
