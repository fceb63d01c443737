import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { type Recorded, readRecorded } from './histories.ts';

/**
 * Replays histories with one worker.
 *
 * @returns what went wrong, by the paths of those that do not replay
 */
export async function notReplayed(
  workflowBundle: { code: string },
  recorded: readonly Recorded[],
): Promise<Map<string, string>> {
  const paths: string[] = [];
  const histories = async function* () {
    for (const one of recorded) {
      const history = historyFromJSON(JSON.parse(await readRecorded(one)));
      paths.push(one.path);
      // The ids of a pipeline's children begin with its own.
      const { workflowId } = history.events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
      yield { workflowId: workflowId ?? one.path, history };
    }
  };
  const wrong = new Map<string, string>();
  let index = 0;
  for await (const { error } of Worker.runReplayHistories(
    { workflowBundle, replayName: 'stored' },
    histories(),
  )) {
    if (error !== undefined) wrong.set(paths[index] ?? '', error.message);
    index += 1;
  }
  return wrong;
}
