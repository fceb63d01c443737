import { CREDITS_CODES } from '../../../src/api/codes.ts';
import type { ApiKey, Workspace } from '../accounts/accounts.ts';
import { balance } from '../accounts/credits.ts';
import { answerWithFault } from '../faults/answer-with-fault.ts';
import { errorAnswer, json } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Service } from '../service.ts';

/** `GET credits`: the balance of the workspace that the key acts in. */
export async function getCredits(
  service: Service,
  exchange: Exchange,
  { key, workspace }: { key: ApiKey; workspace: Workspace },
): Promise<void> {
  const fault = service.faults.pick({ on: 'credits', workspace: workspace.id, identity: () => key.id });
  await answerWithFault(fault, {
    exchange,
    perform: () => json(200, balance(workspace.pools, Date.now())),
    closed: () => service.closed,
    refuse: ({ code, status, message = 'Refused by a fault rule.' }) => {
      const known = CREDITS_CODES.find((one) => one === code);
      const usual = known === undefined ? 500 : service.assumptions.creditsErrorStatus[known];
      return errorAnswer(status ?? usual, { code, message });
    },
  });
}
