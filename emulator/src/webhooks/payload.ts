import { EVENT_STATES, type EventType, TERMINAL_EVENTS } from '../../../src/api/events/event-types.ts';
import type { WebhookEvent } from '../../../src/api/events/webhook-event.ts';
import type { Workspace } from '../accounts/accounts.ts';
import { available } from '../accounts/credits.ts';
import type { Assumptions } from '../assumptions.ts';
import { outputUrl } from '../tasks/task-record.ts';
import type { StoredOutput, Task } from '../tasks/tasks.ts';

/** The body of a delivery: what the API specification lists under Payload, and nothing else. */
export function eventPayload(
  type: EventType,
  task: Task,
  workspace: Workspace,
  origin: string,
  names: Assumptions['templateMetadata'],
): WebhookEvent {
  const { template } = task;
  const state = EVENT_STATES[type];
  return {
    event: type,
    prediction: {
      id: task.id,
      state,
      status: state,
      input: task.input,
      template: template && { [names.id]: template.id, [names.name]: template.name },
      error: type === 'task.failed' ? { code: task.code ?? '', message: task.message ?? '' } : null,
      logs: null,
      created_at: iso(task.createdAt),
      started_at: iso(task.startedAt),
      completed_at: iso(task.completedAt),
      workspace: workspace.id,
      owner: { ...workspace.owner, avatar: `${origin}${workspace.owner.avatar}` },
      artifacts: task.outputs.map((output, index) => artifact(task, output, index, origin)),
      credits: { available: available(workspace.pools, Date.now()), usage: task.usage.total },
    },
  };
}

/** A made-up event for a test delivery. @param mark what tells it from others, beside `event` */
export function testPayload(
  type: EventType,
  workspace: Workspace,
  mark: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const state = EVENT_STATES[type];
  const now = new Date().toISOString();
  return {
    event: type,
    ...mark,
    prediction: {
      id: 'test',
      state,
      status: state,
      input: {},
      template: null,
      error: type === 'task.failed' ? { code: 'TEST', message: 'This is a test delivery.' } : null,
      logs: null,
      created_at: now,
      started_at: type === 'task.created' ? null : now,
      completed_at: TERMINAL_EVENTS.has(type) ? now : null,
      workspace: workspace.id,
      owner: null,
      artifacts: [],
      credits: { available: available(workspace.pools, Date.now()), usage: 0 },
    },
  };
}

function artifact(task: Task, output: StoredOutput, index: number, origin: string): Record<string, unknown> {
  const url = outputUrl(task, index, origin);
  return {
    documentId: `${task.id}-${index}`,
    createdAt: iso(task.completedAt),
    state: 'ready',
    type: output.contentType.split('/')[0],
    provider: 'darkroom',
    model: task.model,
    duration: output.duration,
    size: output.size,
    visibility: 'private',
    tags: [],
    prompt: task.prompt,
    actual_prompt: task.prompt,
    resolution: task.input['resolution'] ?? null,
    aspect_ratio: task.input['aspect_ratio'] ?? null,
    mode: null,
    like_count: 0,
    url,
    asset: {
      url,
      name: output.fileName,
      mime: output.contentType,
      width: output.width,
      height: output.height,
      formats: {},
    },
  };
}

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
