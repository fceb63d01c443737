import { z } from 'zod';
import type { Charge } from '../ledger.ts';
import type { Service } from '../service.ts';
import { route } from './route.ts';
import { chargeView } from './views.ts';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** What was charged, to whom it belongs, and what belongs to nobody. */
export const LEDGER_ROUTES = [
  route('GET /ledger', {
    query: z.strictObject({
      workspace: z.string().optional(),
      workflow: z.string().optional(),
      taskId: z.string().optional(),
      unowned: flag.optional(),
      answered: flag.optional(),
    }),
    handle: ({ service, query }) => {
      const charges = service.ledger.charges(query);
      return { totals: totals(charges), charges: charges.map(chargeView) };
    },
  }),
  /** The charges of each workflow, and those of tasks that nobody owns. */
  route('GET /ledger/workflows', {
    handle: ({ service }) => {
      const byWorkflow = Map.groupBy(service.ledger.charges({ unowned: false }), ({ workflow }) => workflow);
      const unowned = service.ledger.charges({ unowned: true });
      return {
        workflows: [...byWorkflow].map(([workflow, charges]) => ({
          workflow,
          ...totals(charges),
          tasks: charges.map((charge) => taskOfCharge(service, charge)),
        })),
        unowned: { ...totals(unowned), tasks: unowned.map((charge) => taskOfCharge(service, charge)) },
      };
    },
  }),
];

function totals(charges: readonly Charge[]): object {
  const refunds = charges.flatMap(({ refund }) => refund ?? []);
  return {
    charges: charges.length,
    credits: sum(charges.map(({ credits }) => credits)),
    refunds: refunds.length,
    refundedCredits: sum(refunds.map(({ credits }) => credits)),
  };
}

function taskOfCharge(service: Service, { taskId, model, credits, answered, at }: Charge): object {
  const status = service.tasks.get(taskId)?.status ?? null;
  return { taskId, model, status, credits, answered, at: new Date(at).toISOString() };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
