import { generationCode } from '../../../src/api/codes.ts';
import { type Charge, inputHash } from '../accounts/ledger.ts';
import { answerWithFault } from '../faults/answer-with-fault.ts';
import { type Answer, errorAnswer } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Service } from '../service.ts';
import { promptOf } from '../tasks/input-meaning.ts';
import type { CheckName } from './check-order.ts';
import { CHECKS, found, type Submission } from './checks.ts';
import { inOurNames } from './model-routes.ts';
import { purchase } from './purchase.ts';
import { refuseSubmit } from './refusals.ts';

/** Tells the ledger whose submit it is; Darkroom's worker sends its workflow id there, percent-encoded. */
const WORKFLOW_HEADER = 'x-darkroom-workflow';

/**
 * `POST generation/{provider}/{model}`. A fault strikes once the body is read: it is picked by what that says.
 *
 * @param path below the base URL, percent-encoded
 */
export async function submit(service: Service, exchange: Exchange, path: string): Promise<void> {
  const submission: Submission = { exchange, path, workflow: workflowOf(exchange) };
  const order = service.assumptions.checkOrder;
  const untilBody = order.indexOf('body') + 1;
  const refusal = await firstRefusal(service, submission, order.slice(0, untilBody));
  if (refusal === 'aborted') return;
  if (service.closed) return exchange.hangUp();
  if (refusal === undefined) await answer(service, submission, order.slice(untilBody));
  else exchange.answer(refusal);
}

async function firstRefusal(
  service: Service,
  submission: Submission,
  checks: readonly CheckName[],
): Promise<Answer | 'aborted' | undefined> {
  for (const name of checks) {
    const refusal = await CHECKS[name](service, submission);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Makes the other checks, buys and answers, unless a fault has its way. */
async function answer(service: Service, submission: Submission, checks: readonly CheckName[]): Promise<void> {
  const { exchange, workflow } = submission;
  const { offered, workspace, sent } = found(submission, 'offered', 'workspace', 'sent');
  const { model } = offered;
  let charge: Charge | undefined;
  const fault = service.faults.pick({
    on: 'submit',
    workspace: workspace.id,
    identity: () => workflow ?? inputHash(model.id, sent),
    model: model.id,
    prompt: promptOf(inOurNames(offered, sent)),
    workflow,
  });
  await answerWithFault(fault, {
    exchange,
    perform: async () => {
      const refusal = await firstRefusal(service, submission, checks);
      if (refusal !== undefined && refusal !== 'aborted') return refusal;
      const purchased = purchase(service, submission);
      charge = purchased?.charge;
      return purchased?.answer ?? refuseSubmit(service.assumptions, model.family, 'INSUFFICIENT_CREDITS');
    },
    delivered: () => {
      if (charge !== undefined) service.ledger.answered(charge);
    },
    closed: () => service.closed,
    refuse: ({ code, status, message }) => {
      const known = generationCode(code);
      // A rule may also name a code that the specification does not have.
      if (known === undefined) {
        return errorAnswer(status ?? 500, { code, message: message ?? 'Refused by a fault rule.' });
      }
      return refuseSubmit(service.assumptions, model.family, known, {
        status,
        ...(message === undefined ? {} : { message }),
      });
    },
  });
}

function workflowOf(exchange: Exchange): string | null {
  const header = exchange.header(WORKFLOW_HEADER);
  if (header === undefined || header === '') return null;
  try {
    return decodeURI(header);
  } catch {
    return header;
  }
}
