import type { StepItem } from '../../contract/pipeline.ts';
import { isFromOutside } from '../once.ts';
import { look } from './looks.ts';
import { resolved } from './resolve.ts';
import type { Run } from './run.ts';
import { takeOver } from './seek.ts';
import { endFound, settledAs, settledBy } from './settle.ts';
import type { Change } from './state.ts';

/** Waits for the end of a generation, whoever has started it. A failure is a result here. */
export async function follow(run: Run, path: string): Promise<Change> {
  const job = await resolved(run, path);
  if ('end' in job) return (state) => settledAs(state, path, job.end);
  const started = run.started.get(path);
  if (started === undefined)
    return settledBy(run, job, endFound(job, await look(run, job, { wait: true, asItIs: true })));
  const end = await started.ending(() => look(run, job, { asItIs: true }));
  run.started.delete(path); // what runs under its id from now on is another run
  const { workflowId } = job;
  if (end.kind === 'completed') {
    const item: StepItem = { status: 'COMPLETED', workflowId, result: end.result };
    return settledBy(run, job, { item, startedAt: started.at });
  }
  // One that was ended from outside tells nothing of what it has bought: it is asked.
  const isFound = end.kind === 'found';
  const found = isFound ? end.found : isFromOutside(end) ? await look(run, job, { asItIs: true }) : undefined;
  if (found?.kind === 'failed' && found.isBefore === true)
    return await takeOver(run, job, found, { isOwn: true });
  if (isFound) return settledBy(run, job, endFound(job, end.found));
  const failure = found?.kind === 'failed' ? found.failure : end.failure;
  const item: StepItem = { status: 'FAILED', workflowId, failure };
  return settledBy(run, job, { item, startedAt: started.at });
}
