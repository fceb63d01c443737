import { z } from 'zod';
import { GENERATION_CODES } from '../../../src/api/codes.ts';
import { DESCRIPTION_VERSION } from '../../../src/api/description-version.ts';
import { EVENT_TYPES } from '../../../src/api/events/event-types.ts';
import { MODEL_IDS } from '../../../src/api/models/registry.ts';
import type { QueueState } from '../../../src/api/records/generation-record.ts';
import { API_PREFIX } from '../api/answer-api.ts';
import type { Service } from '../service.ts';
import { removeFrom, route } from './route.ts';
import { endpointView, faultView, keyView, workspaceView } from './views.ts';

const newTemplate = z.strictObject({
  id: z.string().min(1).optional(),
  name: z.string().min(1),
  model: z.enum(MODEL_IDS).nullable().default(null),
  workspace: z.string().nullable().default(null),
  input: z.record(z.string(), z.unknown()),
});

/** The whole at a glance, counters, templates, and the way back to the start. */
export const STATE_ROUTES = [
  route('GET /state', {}, ({ service }) => overview(service)),
  /** Requests by kind, answers by kind and status, faults that struck, GETs. `tasks=true`: GETs of every task. */
  route(
    'GET /counters',
    { query: z.strictObject({ tasks: z.enum(['true', 'false']).default('false') }) },
    ({ service, query }) => counters(service, query.tasks === 'true'),
  ),
  /** Back to how it was first started: its accounts, endpoints and faults; no tasks, no charges. */
  route('POST /reset', {}, ({ service }) => service.reset()),

  route('GET /templates', {}, ({ service }) => service.templates.all()),
  route('POST /templates', { body: newTemplate }, ({ service, body }) => service.templates.create(body)),
  route('DELETE /templates/:id', {}, ({ service, params }) =>
    removeFrom(service.templates, 'template', params.id),
  ),
];

export function overview(service: Service) {
  return {
    url: service.origin(),
    baseUrl: service.origin() + API_PREFIX,
    speed: service.pace.speed,
    seed: service.pace.seed,
    models: MODEL_IDS.map((id) => ({
      id,
      path: service.models.get(id)?.override.path ?? service.models.get(id)?.model.path,
    })),
    workspaces: service.accounts.workspaces().map(workspaceView),
    keys: service.accounts.keys().map(keyView),
    endpoints: service.endpoints.all().map(endpointView),
    templates: service.templates.all(),
    faults: service.faults.all().map(faultView),
    tasks: taskCounts(service),
    deliveries: service.deliveries.log.counts(),
    assumptions: service.assumptions,
    description: { version: DESCRIPTION_VERSION },
    codes: GENERATION_CODES,
    events: EVENT_TYPES,
    scopes: [...new Set(Object.values(service.assumptions.keyScopes))],
  };
}

/** @param byTask with the GETs of every task */
export function counters(service: Service, byTask: boolean) {
  const gets = service.tasks.all().map(({ id, gets }) => [id, gets] as const);
  const total = gets.reduce((sum, [, count]) => sum + count, 0);
  return {
    ...service.counters.snapshot(),
    faults: service.faults.counts(),
    tasks: taskCounts(service),
    deliveries: service.deliveries.log.counts(),
    gets: {
      tasks: gets.length,
      total,
      mean: gets.length === 0 ? 0 : total / gets.length,
      most: gets.reduce((most, [, count]) => Math.max(most, count), 0),
      ...(byTask ? { byTask: Object.fromEntries(gets) } : {}),
    },
  };
}

function taskCounts(service: Service): Record<QueueState, number> {
  const counts = { IN_QUEUE: 0, IN_PROGRESS: 0, COMPLETED: 0, FAILED: 0, CANCELED: 0 };
  for (const { status } of service.tasks.values()) counts[status] += 1;
  return counts;
}
