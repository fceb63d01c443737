import { z } from 'zod';
import { faultRuleSchema } from '../faults/rule.ts';
import { ControlError, route } from './route.ts';
import { faultView } from './views.ts';

/** Fault rules, and how often they struck. */
export const FAULT_ROUTES = [
  route('GET /faults', { handle: ({ service }) => service.faults.all().map(faultView) }),
  /** One rule or several; the answer is a list. A rule with the id of another replaces it. */
  route('POST /faults', {
    body: z.preprocess((body) => (Array.isArray(body) ? body : [body]), z.array(faultRuleSchema)),
    handle: ({ service, body }) => body.map((rule) => faultView(service.faults.add(rule))),
  }),
  route('DELETE /faults', { handle: ({ service }) => service.faults.clear() }),
  route('DELETE /faults/:id', {
    handle: ({ service, params: { id = '' } }) => {
      if (!service.faults.remove(id)) throw new ControlError(404, `There is no fault rule ${id}`);
    },
  }),
];
