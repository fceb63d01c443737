import { Command } from 'commander';
import { PipelineFailedError } from '../../client/failures/failure-classes.ts';
import type { Answer, Answering } from '../answer.ts';
import { UsageError } from '../failures/usage-error.ts';
import { describeSaved, saveOutputs } from '../files/save-outputs.ts';
import { knownId } from '../request/known-id.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

/** `download <workflow id>`: the files of a run that has ended, on this machine. */
export function downloadCommand(answering: Answering): Command {
  const command = new Command('download')
    .description('write the files of a generation or a pipeline that has ended into a folder')
    .argument('<workflow id>', 'like generation/<key> or pipeline/<key>')
    .option('--out <folder>', 'where to', '.')
    .action(answering(download));
  return withOwnExamples(command, 'download generation/order-17', 'download pipeline/film-3 --out film');
}

async function download(id: string, { out }: { out: string }): Promise<Answer> {
  return await withSession(async (session) => {
    const workflowId = await knownId(session.temporal, id);
    const { type, status, result, error } = await session.darkroom.get(workflowId);
    if (type === 'batch')
      throw new UsageError(`the files of a batch are those of its rows: ${workflowId}/<row id>`);
    if (status === 'RUNNING') throw new UsageError(`${workflowId} still runs: it has no files yet`);
    // Of a pipeline that failed there may be the files of some steps.
    const made = result ?? (error instanceof PipelineFailedError ? error.result : undefined);
    if (made === undefined) throw error ?? new UsageError(`${workflowId} has no result`);
    const files = await saveOutputs(session, workflowId, made, out);
    return { json: { files }, text: describeSaved(files) };
  });
}
