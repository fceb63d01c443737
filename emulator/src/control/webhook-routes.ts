import { z } from 'zod';
import { EVENT_TYPES } from '../../../src/api/events/event-types.ts';
import type { Service } from '../service.ts';
import type { Delivery } from '../webhooks/delivery.ts';
import { endpointUrl } from '../webhooks/endpoint-url.ts';
import type { Endpoint } from '../webhooks/endpoints.ts';
import { isSecret } from '../webhooks/sign.ts';
import { ControlError, existing, removeFrom, route } from './route.ts';
import { deliveryView, endpointView } from './views.ts';

const events = z.array(z.enum(EVENT_TYPES)).min(1);
const secret = z
  .string()
  .refine(isSecret, 'must be base64 of at least 24 bytes, with or without whsec_ before it');
const newEndpoint = z.strictObject({
  workspace: z.string(),
  url: endpointUrl,
  events: events.optional(),
  enabled: z.boolean().optional(),
  secret: secret.optional(),
});
const change = newEndpoint.pick({ url: true, events: true, enabled: true }).partial();

/** Webhook endpoints and what was delivered to them. */
export const WEBHOOK_ROUTES = [
  route('GET /endpoints', {}, ({ service }) => service.endpoints.all().map(endpointView)),
  route('POST /endpoints', { body: newEndpoint }, ({ service, body }) => {
    existing(service.accounts.workspace(body.workspace), 'workspace', body.workspace);
    const endpoint = service.endpoints.create(body);
    return { ...endpointView(endpoint), secret: endpoint.secrets[0]?.value };
  }),
  route('GET /endpoints/:id', {}, ({ service, params }) => endpointView(endpointOf(service, params.id))),
  route('PATCH /endpoints/:id', { body: change }, ({ service, params, body }) => {
    const endpoint = endpointOf(service, params.id);
    endpoint.url = body.url ?? endpoint.url;
    endpoint.events = body.events ?? endpoint.events;
    endpoint.enabled = body.enabled ?? endpoint.enabled;
    service.endpoints.save(endpoint);
    return endpointView(endpoint);
  }),
  route('DELETE /endpoints/:id', {}, ({ service, params }) =>
    removeFrom(service.endpoints, 'endpoint', params.id),
  ),
  /** The current secret: here one may look at it again. */
  route('GET /endpoints/:id/secret', {}, ({ service, params }) => ({
    secret: endpointOf(service, params.id).secrets[0]?.value,
  })),
  route(
    'POST /endpoints/:id/test',
    { body: z.strictObject({ event: z.enum(EVENT_TYPES).default('task.completed') }) },
    ({ service, params: { id }, body: { event } }) => {
      const delivery = service.deliveries.sendTest(endpointOf(service, id), event);
      return deliveryView(existing(delivery, 'workspace for the endpoint', id));
    },
  ),
  /** Until the overlap is over, deliveries carry a signature of each secret. */
  route(
    'POST /endpoints/:id/rotate',
    { body: z.strictObject({ overlapMs: z.number().min(0).optional(), secret: secret.optional() }) },
    ({ service, params, body: { overlapMs, secret } }) => {
      const endpoint = endpointOf(service, params.id);
      const overlap = overlapMs ?? service.assumptions.rotationOverlap;
      const made = service.endpoints.rotate(endpoint, overlap, secret);
      return { ...endpointView(endpoint), secret: made };
    },
  ),
  route('GET /endpoints/:id/deliveries', {}, ({ service, params }) =>
    service.deliveries.log.latest(endpointOf(service, params.id).id).map(deliveryView),
  ),

  /** Those of the 20 latest attempts of each endpoint, newest first. */
  route('GET /deliveries', {}, ({ service }) => service.deliveries.log.latest().map(deliveryView)),
  route('GET /deliveries/:id', {}, ({ service, params }) => deliveryView(deliveryOf(service, params.id))),
  /** Once more, under the same event id. */
  route('POST /deliveries/:id/redeliver', {}, ({ service, params }) => {
    const delivery = deliveryOf(service, params.id);
    if (!service.deliveries.redeliver(delivery)) throw new ControlError(409, 'It is still under way');
    return deliveryView(delivery);
  }),
];

function endpointOf({ endpoints }: Service, id: string): Endpoint {
  return existing(endpoints.get(id), 'endpoint', id);
}

function deliveryOf({ deliveries }: Service, id: string): Delivery {
  return existing(deliveries.log.get(id), 'delivery', id);
}
