import type { ApiKey, Workspace } from '../accounts/accounts.ts';
import { balance } from '../accounts/credits.ts';
import type { Charge } from '../accounts/ledger.ts';
import type { ActiveRule } from '../faults/faults.ts';
import type { Service } from '../service.ts';
import { taskRecord } from '../tasks/task-record.ts';
import type { Task } from '../tasks/tasks.ts';
import type { Delivery } from '../webhooks/delivery.ts';
import type { Endpoint } from '../webhooks/endpoints.ts';

/** How the control API shows things: times as ISO 8601, no secrets, no key values. The page's types are made of these. */

export function workspaceView({ id, name, owner, pools, rateLimit }: Workspace) {
  return { id, name, owner, credits: balance(pools, Date.now()), rateLimit };
}

export function keyView({ valueHash: _hash, createdAt, revokedAt, ...key }: ApiKey) {
  return { ...key, createdAt: iso(createdAt), revokedAt: iso(revokedAt) };
}

export function endpointView({ secrets, createdAt, ...endpoint }: Endpoint) {
  return {
    ...endpoint,
    createdAt: iso(createdAt),
    secrets: secrets.map(({ value, createdAt, expiresAt }) => ({
      hint: `${value.slice(0, 10)}…`,
      createdAt: iso(createdAt),
      expiresAt: iso(expiresAt),
    })),
  };
}

export function deliveryView(delivery: Delivery) {
  const { body, attempts, createdAt, nextAttemptAt, ...rest } = delivery;
  return {
    ...rest,
    createdAt: iso(createdAt),
    nextAttemptAt: iso(nextAttemptAt),
    payload: JSON.parse(body) as unknown,
    attempts: attempts.map(({ at, ...attempt }) => ({ at: iso(at), ...attempt })),
  };
}

export function taskView(service: Service, task: Task) {
  return {
    ...taskRecord(task, service),
    model: task.model,
    workspace: task.workspace,
    prompt: task.prompt,
    template: task.template,
    workflow: task.workflow,
    createdAt: iso(task.createdAt),
    startedAt: iso(task.startedAt),
    completedAt: iso(task.completedAt),
    startDue: iso(task.startDue),
    finishDue: iso(task.finishDue),
    fate: task.fate,
    vanished: task.vanished,
    gets: task.gets,
    outputs: task.outputs.map(({ etag: _etag, source: _source, ...output }) => output),
  };
}

export function chargeView({ at, refund, ...charge }: Charge) {
  return { ...charge, at: iso(at), refund: refund && { ...refund, at: iso(refund.at) } };
}

export function faultView({ id, rule, seen, injected }: ActiveRule) {
  return { ...rule, id, seen, injected };
}

function iso<T extends number | null>(time: T): T extends number ? string : null {
  // The compiler does not follow the condition on a type.
  return (time === null ? null : new Date(time).toISOString()) as T extends number ? string : null;
}
