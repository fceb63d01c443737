import type { Answer } from '../answer.ts';
import { describeSteps } from '../describe/describe-pipeline-progress.ts';
import { UsageError } from '../failures/usage-error.ts';
import { needWorker } from '../follow/silence.ts';
import { knownId } from '../request/known-id.ts';
import { readJsonFile } from '../request/read-json-file.ts';
import { withSession } from '../session.ts';

/** What can be said about a step that waits for approval, and about one that is held. */
export const STEP_ACTIONS = ['approve', 'reject', 'retry', 'skip', 'fail'] as const;
export type StepAction = (typeof STEP_ACTIONS)[number];

interface Said {
  step: string;
  action: string;
  /** A JSON file. */
  input: string | undefined;
}

/**
 * A person's word on a step of a pipeline: the updates `approve`, `reject` and `resolve`.
 *
 * @throws UsageError
 */
export async function decideStep(id: string, { step, action, input: file }: Said): Promise<Answer> {
  const known = STEP_ACTIONS.find((one) => one === action);
  if (known === undefined)
    throw new UsageError(`${action} is for generations; of a step: ${STEP_ACTIONS.join(', ')}`);
  if (file !== undefined && known !== 'approve' && known !== 'retry')
    throw new UsageError('--input goes with approve and retry only');
  const input = file === undefined ? {} : { input: readJsonFile(file) };
  return await withSession(async (session) => {
    const workflowId = await knownId(session.temporal, id);
    const handle = await session.darkroom.attach(workflowId);
    if (handle.kind === 'batch')
      throw new UsageError(`${workflowId} is a batch; name one of its rows: ${workflowId}/<row>`);
    if (handle.kind !== 'pipeline') throw new UsageError(`${workflowId} is a generation: it has no steps`);
    await needWorker(session.temporal, workflowId);
    const progress = await handle.decide({ step, action: known, ...input });
    return {
      json: progress,
      text: [`${workflowId}: ${step}: ${known}`, ...describeSteps(workflowId, progress)].join('\n'),
    };
  });
}
