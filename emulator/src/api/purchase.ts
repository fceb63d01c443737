import { randomUUID } from 'node:crypto';
import { charge } from '../accounts/credits.ts';
import { type Charge, inputHash } from '../accounts/ledger.ts';
import { draw } from '../faults/draw.ts';
import type { TaskFault } from '../faults/rule.ts';
import { type Answer, json } from '../http/answer.ts';
import type { Service } from '../service.ts';
import { moderatedPrompt, resultCount } from '../tasks/input-meaning.ts';
import { dueTimes } from '../tasks/scheduler.ts';
import { acceptedRecord } from '../tasks/task-record.ts';
import type { Fate, Task } from '../tasks/tasks.ts';
import { found, priceOf, type Submission } from './checks.ts';
import { inOurNames } from './model-routes.ts';
import { MESSAGES, withPrefix } from './refusals.ts';

/**
 * Accepts a submit that has passed its checks: makes the task, takes the credits, writes the ledger and sends
 * `task.created`, all together.
 *
 * @returns undefined, and nothing done, where the credits have gone to another submit since they were checked
 */
export function purchase(
  service: Service,
  submission: Submission,
): { answer: Answer; charge: Charge } | undefined {
  const { assumptions } = service;
  const { workflow } = submission;
  const { offered, workspace, key, input, template } = found(
    submission,
    'offered',
    'workspace',
    'key',
    'input',
    'template',
  );
  const { family, id: model } = offered.model;
  const ours = inOurNames(offered, input);
  const prompt = moderatedPrompt(ours, assumptions.moderationTrigger);
  const cost = priceOf(assumptions, submission);
  const now = Date.now();
  // Before anything is taken: it is what fails first for an input that is nested beyond reason.
  const hash = inputHash(model, input);
  return service.storage.atomically(() => {
    const usage = charge(workspace.pools, cost, now, assumptions.firstPool);
    if (usage === undefined) return undefined;
    const id = randomUUID();
    const task: Task = {
      id,
      model,
      workspace: workspace.id,
      input,
      prompt,
      results: resultCount(ours),
      template,
      workflow,
      seed: seedOf(ours, service.pace.seed, id),
      createdAt: now,
      usage,
      status: 'IN_QUEUE',
      startedAt: null,
      completedAt: null,
      ...dueTimes(offered.model, id, now, service.pace, assumptions),
      fate: { kind: 'complete' },
      code: null,
      message: null,
      outputs: [],
      extra: {},
      vanished: false,
      gets: 0,
    };
    const fault = service.faults.pick({
      on: 'task',
      workspace: workspace.id,
      identity: () => workflow ?? hash,
      model,
      prompt,
      taskId: id,
      workflow,
    });
    if (fault?.kind === 'slow') task.finishDue += fault.ms;
    else if (fault !== undefined) task.fate = fateOf(fault, family);
    service.accounts.saveWorkspace(workspace);
    service.tasks.add(task);
    const entry = service.ledger.charge({
      taskId: id,
      model,
      workspace: workspace.id,
      keyId: key.id,
      credits: cost,
      usage,
      at: now,
      inputHash: hash,
      workflow,
    });
    // The record is written before events and timers can change the task.
    const answer = json(assumptions.submitStatus, acceptedRecord(task));
    service.deliveries.publish('task.created', task);
    service.scheduler.take(task);
    return { answer, charge: entry };
  });
}

/** The seed that was asked for, else one that follows from the emulator's own. */
function seedOf(input: Record<string, unknown>, seed: number, taskId: string): number {
  return typeof input['seed'] === 'number' ? input['seed'] : Math.floor(draw(seed, taskId, 'seed') * 2 ** 31);
}

function fateOf(fault: Exclude<TaskFault, { kind: 'slow' }>, family: Parameters<typeof withPrefix>[1]): Fate {
  if (fault.kind !== 'fail') return fault;
  return {
    kind: 'fail',
    code: withPrefix(fault.code, family),
    message: fault.message ?? MESSAGES[fault.code],
  };
}
