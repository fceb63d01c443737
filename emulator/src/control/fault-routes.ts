import { z } from 'zod';
import { faultRuleSchema } from '../faults/rule.ts';
import { removeFrom, route } from './route.ts';
import { faultView } from './views.ts';

const rules = z.preprocess((body) => (Array.isArray(body) ? body : [body]), z.array(faultRuleSchema));

/** Fault rules, and how often they struck. */
export const FAULT_ROUTES = [
  route('GET /faults', {}, ({ service }) => service.faults.all().map(faultView)),
  /** One rule or several; the answer is a list. A rule with the id of another replaces it. */
  route('POST /faults', { body: rules }, ({ service, body }) =>
    body.map((rule) => faultView(service.faults.add(rule))),
  ),
  route('DELETE /faults', {}, ({ service }) => service.faults.clear()),
  route('DELETE /faults/:id', {}, ({ service, params }) =>
    removeFrom(service.faults, 'fault rule', params.id),
  ),
];
