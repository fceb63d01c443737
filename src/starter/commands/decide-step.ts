import { approveUpdate, rejectUpdate, resolveUpdate } from '../../contract/messages.ts';
import type { PipelineProgress, Resolution } from '../../contract/pipeline.ts';
import type { Answer } from '../answer.ts';
import { describeSteps } from '../describe/describe-pipeline-progress.ts';
import { UsageError } from '../failures/usage-error.ts';
import { needWorker } from '../follow/silence.ts';
import { readJsonFile } from '../request/read-json-file.ts';
import { type Session, withSession } from '../session.ts';

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
export async function decideStep(workflowId: string, { step, action, input: file }: Said): Promise<Answer> {
  const known = STEP_ACTIONS.find((one) => one === action);
  if (known === undefined)
    throw new UsageError(`${action} is for generations; of a step: ${STEP_ACTIONS.join(', ')}`);
  if (file !== undefined && known !== 'approve' && known !== 'retry')
    throw new UsageError('--input goes with approve and retry only');
  const input = file === undefined ? {} : { input: readJsonFile(file) };
  return await withSession(async (session) => {
    const handle = await session.darkroom.attach(workflowId);
    if (handle.kind !== 'pipeline') throw new UsageError(`${workflowId} is a generation: it has no steps`);
    await needWorker(session.temporal, workflowId);
    const progress = await send(session, workflowId, { step, action: known, ...input });
    return {
      json: progress,
      text: [`${workflowId}: ${step}: ${known}`, ...describeSteps(workflowId, progress)].join('\n'),
    };
  });
}

async function send(
  { temporal }: Session,
  workflowId: string,
  { action, ...said }: { step: string; action: StepAction; input?: Record<string, unknown> },
): Promise<PipelineProgress> {
  const handle = temporal.workflow.getHandle(workflowId);
  if (action === 'approve') return await handle.executeUpdate(approveUpdate, { args: [said] });
  if (action === 'reject') return await handle.executeUpdate(rejectUpdate, { args: [said] });
  const resolution: Resolution = { ...said, action };
  return await handle.executeUpdate(resolveUpdate, { args: [resolution] });
}
