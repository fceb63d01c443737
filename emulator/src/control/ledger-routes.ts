import { z } from 'zod';
import type { Charge } from '../accounts/ledger.ts';
import { summarizeLedger, taskOfCharge, totals } from './ledger-summary.ts';
import { route } from './route.ts';
import { chargeView } from './views.ts';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const which = z.strictObject({
  workspace: z.string().optional(),
  workflow: z.string().optional(),
  taskId: z.string().optional(),
  unowned: flag.optional(),
  answered: flag.optional(),
});

const summary = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(50),
  search: z.string().default(''),
});

/** What was charged, to whom it belongs, and what belongs to nobody. */
export const LEDGER_ROUTES = [
  route('GET /ledger', { query: which }, ({ service, query }) => {
    const charges = service.ledger.charges(query);
    return { totals: totals(charges), charges: charges.map(chargeView) };
  }),
  /** Sums by model, workspace and workflow, and the latest charges that need a look. */
  route('GET /ledger/summary', { query: summary }, ({ service, query }) => summarizeLedger(service, query)),
  /** The charges of each workflow, and those of tasks that nobody owns. */
  route('GET /ledger/workflows', {}, ({ service }) => {
    const told = (charges: readonly Charge[]) => ({
      ...totals(charges),
      tasks: charges.map((charge) => taskOfCharge(service, charge)),
    });
    const owned = Map.groupBy(service.ledger.charges({ unowned: false }), ({ workflow }) => workflow);
    return {
      workflows: [...owned].map(([workflow, charges]) => ({ workflow, ...told(charges) })),
      unowned: told(service.ledger.charges({ unowned: true })),
    };
  }),
];
