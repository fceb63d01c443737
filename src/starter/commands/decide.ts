import { Argument, Command } from 'commander';
import { DECISIONS, type Decision } from '../../contract/generation.ts';
import type { Answer, Answering } from '../answer.ts';
import { describeProgress } from '../describe/describe-progress.ts';
import { UsageError } from '../failures/usage-error.ts';
import { withGeneration } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';
import { decideStep, STEP_ACTIONS, type StepAction } from './decide-step.ts';

type Action = Decision['action'] | StepAction;

interface Options {
  task?: string;
  otherInput?: true;
  step?: string;
  input?: string;
}

/** `decide <workflow id> <action>`: a person's word on what a generation, or a step of a pipeline, waits for. */
export function decideCommand(answering: Answering): Command {
  const command = new Command('decide')
    .description('say what becomes of a generation, or of a step of a pipeline, that waits for a person')
    .argument('<workflow id>', 'generation/<key> or pipeline/<key>; `show` tells whether it waits')
    .addArgument(
      new Argument(
        '<action>',
        'a generation: buy again, take a task that was found, give up; a step that waits for approval: approve, reject; one that is held: retry, skip, fail',
      ).choices([...new Set([...DECISIONS, ...STEP_ACTIONS])]),
    )
    .option('--task <id>', 'the task to adopt')
    .option(
      '--other-input',
      'with adopt: take the task although its model or input is another; it is not charged',
    )
    .option('--step <name>', 'the step of a pipeline')
    .option('--input <file>', 'with approve and retry: a JSON file with another input for the step')
    .action(answering(decide));
  return withOwnExamples(
    command,
    'decide generation/order-17 resubmit',
    'decide generation/order-17 adopt --task 904db174-…',
    'decide pipeline/film-3 approve --step clip',
    'decide pipeline/film-3 retry --step clip --input clip.json',
  );
}

async function decide(
  id: string,
  action: Action,
  { task, otherInput, step, input }: Options,
): Promise<Answer> {
  if (step !== undefined) {
    if (task !== undefined) throw new UsageError('--task is for generations, --step for pipelines');
    return await decideStep(id, { step, action, input });
  }
  if (!isOfGenerations(action) || input !== undefined)
    throw new UsageError(
      `${input === undefined ? action : '--input'} is for a step of a pipeline: name it with --step`,
    );
  if ((action === 'adopt') !== (task !== undefined)) {
    throw new UsageError(action === 'adopt' ? 'adopt needs --task <id>' : '--task goes with adopt only');
  }
  if (otherInput === true && action !== 'adopt') throw new UsageError('--other-input goes with adopt only');
  return await withGeneration(id, async (handle) => {
    const progress = await handle.decide({
      action,
      ...(task === undefined ? {} : { taskId: task }),
      ...(otherInput === undefined ? {} : { otherInput }),
    });
    return { json: progress, text: describeProgress(handle.workflowId, progress) };
  });
}

function isOfGenerations(action: Action): action is Decision['action'] {
  return DECISIONS.some((one) => one === action);
}
