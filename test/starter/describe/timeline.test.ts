import { readFile } from 'node:fs/promises';
import { defaultPayloadConverter } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, it } from 'vitest';
import { readTimeline } from '../../../src/starter/describe/timeline.ts';
import { currentVersion, HISTORIES } from '../../replay/histories.ts';

/** What a recorded run's timeline says, ids and addresses left out. */
async function timelineOf(name: string): Promise<string[]> {
  const text = await readFile(new URL(`${await currentVersion()}/${name}.json`, HISTORIES), 'utf8');
  const { events } = historyFromJSON(JSON.parse(text));
  return readTimeline(events ?? []).map(({ what }) =>
    what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>').replaceAll(/127\.0\.0\.1:\d+/g, '<host>'),
  );
}

describe('the timeline of a run', () => {
  it.each<[string, unknown[]]>([
    [
      'settled-by-webhook.generation',
      [
        'started',
        'submits to the API',
        'task <id> accepted, 8 credits',
        'webhook: task.completed <id>',
        'the task has completed, 1 file stored, 150 B',
        'completed',
      ],
    ],
    [
      'decided-by-a-person.generation',
      [
        'started',
        'submits to the API',
        'the answer got lost: cannot talk to http://<host>: the connection was closed before the answer was complete [UND_ERR_SOCKET]',
        'looks for the task of the lost answer',
        'needs a decision',
        'decided: resubmit',
        'looks for the task of the lost answer',
        'submits to the API',
        'task <id> accepted, 8 credits',
        'webhook: task.completed <id>',
        'the task has completed, 1 file stored, 150 B',
        'completed',
      ],
    ],
    [
      'vanished.generation',
      [
        'started',
        'submits to the API',
        'task <id> accepted, 8 credits',
        'poll: the API does not know the task (4 times)',
        'failed: TASK_VANISHED: the API no longer knows task <id>',
      ],
    ],
    [
      'parked.generation',
      [
        'started',
        'submits to the API',
        'the submit failed: IMAGE_GENERATION_INSUFFICIENT_CREDITS: Not enough credits for this request.',
        'waiting for credits',
        'there are credits again',
        'submits to the API',
        'task <id> accepted, 8 credits',
        'webhook: task.completed <id>',
        'the task has completed, 1 file stored, 150 B',
        'completed',
      ],
    ],
    [
      'reset-while-waiting.generation',
      [
        'started',
        'Reset of run <id>: a test',
        'took over task <id>',
        'webhook: task.completed <id>',
        'the task has completed, 1 file stored, 150 B',
        'completed',
      ],
    ],
    [
      'cancelled.generation',
      ['started', 'submits to the API', 'task <id> accepted, 8 credits', 'asked to end', 'canceled'],
    ],
    [
      'pipeline-partial.pipeline',
      [
        'started',
        'step good started',
        'step bad started',
        'step bad failed: IMAGE_GENERATION_INVALID_INPUT: The request input is invalid.',
        'step good completed',
        expect.stringMatching(
          /^failed: PIPELINE_FAILED: .*not completed: bad \(failed\); 16 credits were spent/,
        ),
      ],
    ],
  ])('%s', async (name, expected) => {
    expect(await timelineOf(name)).toEqual(expected);
  });

  it('is told whatever a stranger has sent to the workflow', () => {
    const raw = {
      payloads: [{ metadata: { encoding: Buffer.from('binary/protobuf') }, data: Buffer.from('?') }],
    };
    const odd = { payloads: [defaultPayloadConverter.toPayload({ type: 7 })] };
    const signals = [
      { signalName: 'taskEvent', input: raw },
      { signalName: 'taskEvent', input: odd },
      { signalName: 'constructor', input: raw },
    ];
    const events = signals.map((signal) => ({ workflowExecutionSignaledEventAttributes: signal }));
    expect(readTimeline(events).map(({ what }) => what)).toEqual([
      'webhook:   (2 times)',
      'signal constructor',
    ]);
  });
});
