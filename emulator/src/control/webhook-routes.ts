import { z } from 'zod';
import { EVENT_TYPES } from '../../../src/api/event-types.ts';
import type { Service } from '../service.ts';
import { endpointUrl } from '../webhooks/endpoint-url.ts';
import type { Endpoint } from '../webhooks/endpoints.ts';
import { isSecret } from '../webhooks/sign.ts';
import { ControlError, existing, route } from './route.ts';
import { deliveryView, endpointView } from './views.ts';

const events = z.array(z.enum(EVENT_TYPES)).min(1);
const secret = z
  .string()
  .refine(isSecret, 'must be base64 of at least 24 bytes, with or without whsec_ before it');
const overlapMs = z.number().min(0);

/** Webhook endpoints and what was delivered to them. */
export const WEBHOOK_ROUTES = [
  route('GET /endpoints', { handle: ({ service }) => service.endpoints.all().map(endpointView) }),
  route('POST /endpoints', {
    body: z.strictObject({
      workspace: z.string(),
      url: endpointUrl,
      events: events.optional(),
      enabled: z.boolean().optional(),
      secret: secret.optional(),
    }),
    handle: ({ service, body }) => {
      existing(service.accounts.workspace(body.workspace), 'workspace', body.workspace);
      const endpoint = service.endpoints.create(body);
      return { ...endpointView(endpoint), secret: endpoint.secrets[0]?.value };
    },
  }),
  route('GET /endpoints/:id', {
    handle: ({ service, params: { id } }) => endpointView(endpointOf(service, id)),
  }),
  route('PATCH /endpoints/:id', {
    body: z.strictObject({
      url: endpointUrl.optional(),
      events: events.optional(),
      enabled: z.boolean().optional(),
    }),
    handle: ({ service, params: { id }, body }) => {
      const endpoint = endpointOf(service, id);
      endpoint.url = body.url ?? endpoint.url;
      endpoint.events = body.events ?? endpoint.events;
      endpoint.enabled = body.enabled ?? endpoint.enabled;
      service.endpoints.save(endpoint);
      return endpointView(endpoint);
    },
  }),
  route('DELETE /endpoints/:id', {
    handle: ({ service, params: { id = '' } }) => {
      if (!service.endpoints.remove(id)) throw new ControlError(404, `There is no endpoint ${id}`);
    },
  }),
  /** The current secret: here one may look at it again. */
  route('GET /endpoints/:id/secret', {
    handle: ({ service, params: { id } }) => ({ secret: endpointOf(service, id).secrets[0]?.value }),
  }),
  route('POST /endpoints/:id/test', {
    body: z.strictObject({ event: z.enum(EVENT_TYPES).default('task.completed') }),
    handle: ({ service, params: { id }, body: { event } }) => {
      const delivery = service.deliveries.sendTest(endpointOf(service, id), event);
      return deliveryView(existing(delivery, 'workspace for the endpoint', id));
    },
  }),
  /** Until the overlap is over, deliveries carry a signature of each secret. */
  route('POST /endpoints/:id/rotate', {
    body: z.strictObject({ overlapMs: overlapMs.optional(), secret: secret.optional() }),
    handle: ({ service, params: { id }, body }) => {
      const endpoint = endpointOf(service, id);
      const overlap = body.overlapMs ?? service.assumptions.rotationOverlap;
      const made = service.endpoints.rotate(endpoint, overlap, body.secret);
      return { ...endpointView(endpoint), secret: made };
    },
  }),
  route('GET /endpoints/:id/deliveries', {
    handle: ({ service, params: { id } }) =>
      service.deliveries.log.latest(endpointOf(service, id).id).map(deliveryView),
  }),

  /** Those of the 20 latest attempts of each endpoint, newest first. */
  route('GET /deliveries', { handle: ({ service }) => service.deliveries.log.latest().map(deliveryView) }),
  route('GET /deliveries/:id', {
    handle: ({ service, params: { id = '' } }) =>
      deliveryView(existing(service.deliveries.log.get(id), 'delivery', id)),
  }),
  /** Once more, under the same event id. */
  route('POST /deliveries/:id/redeliver', {
    handle: ({ service, params: { id = '' } }) => {
      const delivery = existing(service.deliveries.log.get(id), 'delivery', id);
      if (!service.deliveries.redeliver(delivery)) throw new ControlError(409, 'It is still under way');
      return deliveryView(delivery);
    },
  }),
];

function endpointOf(service: Service, id: string | undefined): Endpoint {
  return existing(service.endpoints.get(id ?? ''), 'endpoint', id);
}
