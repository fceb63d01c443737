import { describe, expect, it } from 'vitest';
import { whatNext } from '../../../src/contract/failures/what-next.ts';
import { describeNext } from '../../../src/starter/describe/describe-next.ts';
import { detailsOf } from '../../../src/starter/describe/run-failure.ts';

const of = (type: string, details: unknown = null) =>
  describeNext(
    whatNext({
      kind: 'generation',
      workflowId: 'generation/order 17',
      type,
      details: detailsOf({ type, message: 'm', details }),
    }),
  );

describe('what is advised after a failure', () => {
  it.each([
    ['IMAGE_GENERATION_FAILED', 'a new task is bought'],
    ['VIDEO_GENERATION_TIMEOUT', 'a new task is bought'],
    ['TASK_OVERDUE', 'wait for the same task'],
    ['OUTPUT_UNAVAILABLE', 'the files of the same task are fetched'],
    ['CANCELLED', 'nothing is bought twice'],
    ['TTS_GENERATION_INSUFFICIENT_CREDITS', 'Top up'],
    ['UNAUTHORIZED', 'DARKROOM_API_KEY'],
    ['constructor', 'a new task is bought'],
  ])('%s: %s, by a command that can be pasted', (type, why) => {
    const [advice, command] = of(type).split('\n');
    expect(advice).toContain(why);
    expect(command).toBe("  npm run starter -- retry 'generation/order 17'");
  });

  it('is another policy where the same one would give up again', () => {
    expect(of('SUBMISSION_UNKNOWN').split('\n')).toEqual([
      expect.stringContaining('looks for the lost task'),
      "  npm run starter -- rerun 'generation/order 17' --set policy.reconcile.otherwise=resubmit",
    ]);
  });

  it('is another request where the same one would fail again', () => {
    for (const type of ['INVALID_REQUEST', 'IMAGE_GENERATION_CONTENT_REJECTED', 'TEMPLATE_NOT_FOUND'])
      expect(of(type)).toMatch(/^Next: .*start it (again, )?under .*$/);
  });

  it('is to retry the pipeline where a step has no files, because what it was to be made from is gone', () => {
    const of404 = (outcome: string) => of('OUTPUT_UNAVAILABLE', { attempts: [{ outcome }] });
    expect(of('OUTPUT_UNAVAILABLE', { attempts: [] })).toContain('retry its pipeline');
    expect(of404('failed')).toContain('retry its pipeline');
    expect(of404('completed')).toContain('the files of the same task are fetched');
  });

  it.each(['TASK_OVERDUE', 'CancelledFailure', 'IMAGE_GENERATION_FAILED'])(
    'is to try a pipeline again with a step that has failed as %s',
    (type) => {
      const failure = { type, message: 'm', details: null };
      const steps = { still: { status: 'FAILED', workflowId: 'p/still', failure } };
      const advice = of('PIPELINE_FAILED', { status: 'FAILED', steps, usage: { total: 8 } });
      expect(advice).toContain(`\n  npm run starter -- retry 'generation/order 17'`);
    },
  );

  it.each(['IMAGE_GENERATION_CONTENT_REJECTED', 'BUDGET_EXCEEDED'])(
    'takes over first what may still end, in a pipeline with another step that has failed as %s',
    (type) => {
      const failed = (name: string, cause: string) => ({
        status: 'FAILED',
        workflowId: `p/${name}`,
        failure: { type: cause, message: 'm', details: null },
      });
      const steps = { still: failed('still', type), clip: failed('clip', 'TASK_OVERDUE') };
      const advice = of('PIPELINE_FAILED', { status: 'FAILED', steps, usage: { total: 8 } });
      expect(advice.split('\n').slice(0, 3)).toEqual([
        expect.stringContaining('Next: '),
        '  npm run starter -- retry p/clip',
        expect.stringContaining('Then: '),
      ]);
      expect(advice).toMatch(
        /rerun 'generation\/order 17' --set (budget\.credits=16|still\.<field>=<value>)$/,
      );
    },
  );

  it('is to run by itself what nobody knows of, under another policy, before its pipeline', () => {
    const failure = { type: 'SUBMISSION_UNKNOWN', message: 'm', details: null };
    const steps = { still: { status: 'FAILED', workflowId: 'p/still', failure } };
    expect(of('PIPELINE_FAILED', { status: 'FAILED', steps, usage: { total: 0 } }).split('\n')).toEqual([
      expect.stringContaining('Next: '),
      '  npm run starter -- rerun p/still --set policy.reconcile.otherwise=resubmit',
      expect.stringContaining('Then: '),
      "  npm run starter -- retry 'generation/order 17'",
    ]);
  });

  it('is a change of the step that would fail again, in a pipeline', () => {
    const failure = { type: 'IMAGE_GENERATION_CONTENT_REJECTED', message: 'm', details: null };
    const steps = { still: { status: 'FAILED', workflowId: 'p/still', failure } };
    const advice = of('PIPELINE_FAILED', { status: 'FAILED', steps, usage: { total: 0 } });
    expect(advice).toContain("rerun 'generation/order 17' --set still.<field>=<value>");
  });
});
