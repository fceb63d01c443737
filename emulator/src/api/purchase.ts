import { randomUUID } from 'node:crypto';
import type { GenerationCode } from '../../../src/api/codes.ts';
import type { ErrorBody } from '../../../src/api/error-body.ts';
import type { ApiKey, Workspace } from '../accounts/accounts.ts';
import { available, charge } from '../accounts/credits.ts';
import { type Charge, inputHash } from '../accounts/ledger.ts';
import { price } from '../accounts/pricing.ts';
import { draw } from '../faults/draw.ts';
import type { TaskFault } from '../faults/rule.ts';
import { type Answer, json } from '../http/answer.ts';
import type { Service } from '../service.ts';
import { promptOf, resultCount } from '../tasks/input-meaning.ts';
import { dueTimes } from '../tasks/scheduler.ts';
import { acceptedRecord } from '../tasks/task-record.ts';
import type { Fate, Task } from '../tasks/tasks.ts';
import { inOurNames, type OfferedModel } from './model-routes.ts';
import { normalizeInput } from './normalize-input.ts';
import { MESSAGES, refuseSubmit, withPrefix } from './refusals.ts';

/** A submit that got past authentication, routing, the rate limit and the parsing of its body. */
export interface Submission {
  offered: OfferedModel;
  key: ApiKey;
  workspace: Workspace;
  sent: Record<string, unknown>;
  /** Whose submit it is, where the caller says so. */
  workflow: string | null;
}

export interface PurchaseResult {
  answer: Answer;
  /** What was charged; undefined: the submit was refused. */
  charge?: Charge;
}

/**
 * Decides about a submit, in this order: template, input, credits, moderation. Accepting makes the task, takes
 * the credits, writes the ledger and sends `task.created`, all together.
 */
export function purchase(service: Service, submission: Submission): PurchaseResult {
  const { offered, workspace, key, workflow } = submission;
  const { assumptions } = service;
  const { family, id: model } = offered.model;
  const refuse = (code: GenerationCode, more: Partial<ErrorBody> = {}): PurchaseResult => ({
    answer: refuseSubmit(assumptions, family, code, more),
  });

  const { [assumptions.templateField]: templateId, ...sent } = submission.sent;
  const template =
    typeof templateId === 'string' ? service.templates.find(templateId, model, workspace.id) : undefined;
  // A template completes the input, so it has to be there before the input can be judged.
  if (templateId !== undefined && template === undefined) return refuse('TEMPLATE_NOT_FOUND');

  const normalized = normalizeInput(offered, { ...template?.input, ...sent });
  if (normalized.kind === 'invalid') return refuse('INVALID_INPUT', { errors: normalized.errors });

  const { input } = normalized;
  const ours = inOurNames(offered, input);
  const prompt = promptOf(ours);
  const cost = price(offered.model, ours, assumptions);
  const now = Date.now();
  const funds = available(workspace.pools, now);
  if (funds < cost) return refuse('INSUFFICIENT_CREDITS', { details: { required: cost, available: funds } });
  if (prompt.includes(assumptions.moderationTrigger)) return refuse('CONTENT_REJECTED');

  // Before anything is taken: it is what fails first for an input that is nested beyond reason.
  const hash = inputHash(model, input);
  return service.storage.atomically(() => {
    const usage = charge(workspace.pools, cost, now);
    if (usage === undefined) throw new Error(`${workspace.id} had ${funds} credits and cannot pay ${cost}`);
    const id = randomUUID();
    const task: Task = {
      id,
      model,
      workspace: workspace.id,
      input,
      prompt,
      results: resultCount(ours),
      template: template === undefined ? null : { id: template.id, name: template.name },
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
