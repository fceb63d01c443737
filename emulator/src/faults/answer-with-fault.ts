import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { AnswerFault } from './rule.ts';

type FaultOf<Kind extends AnswerFault['kind']> = Extract<AnswerFault, { kind: Kind }>;

/** What a fault works on. */
export interface Struck {
  exchange: Exchange;
  /** Does what was asked (for a submit: charges) and returns the right answer. */
  perform: () => Answer | Promise<Answer>;
  /** The refusal that a code stands for on this route. */
  refuse: (fault: FaultOf<'error'>) => Answer;
  /** Called once the right answer has left whole. */
  delivered?: () => void;
  /** The emulator has closed meanwhile: nothing may be done any more. */
  closed: () => boolean;
}

/** What each fault does to an exchange. Those that answer wrongly never call `delivered`. */
const STRIKES: { readonly [Kind in AnswerFault['kind']]: (fault: FaultOf<Kind>, struck: Struck) => unknown } =
  {
    reset: (_fault, { exchange }) => exchange.hangUp(true),
    'lost-before': (_fault, { exchange }) => exchange.hangUp(),
    'lost-after': async (_fault, { exchange, perform }) => {
      await perform();
      exchange.hangUp();
    },
    slow: async ({ ms, when }, { exchange, perform, delivered, closed }) => {
      const early = when === 'after' ? await perform() : undefined;
      await sleep(ms, undefined, { ref: false });
      // The caller may be gone by now. The service does not notice: it does its work all the same.
      if (closed()) exchange.hangUp();
      else exchange.answer(early ?? (await perform()), delivered);
    },
    garbled: async (_fault, { exchange, perform }) => {
      const answer = await perform();
      exchange.answer({ ...answer, body: garble(String(answer.body)) });
    },
    truncated: async (_fault, { exchange, perform }) => exchange.breakOff(await perform()),
    html: async ({ status, accepted }, { exchange, perform }) => {
      if (accepted) await perform();
      exchange.answer({
        status,
        contentType: 'text/html; charset=utf-8',
        body: `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${status} from the gateway</h1></body></html>`,
      });
    },
    status: async ({ status }, { exchange, perform }) => exchange.answer({ ...(await perform()), status }),
    'no-id': async (_fault, { exchange, perform }) => {
      const answer = await perform();
      const { id: _id, ...rest } = JSON.parse(String(answer.body)) as Record<string, unknown>; // our own JSON object
      exchange.answer({ ...answer, body: JSON.stringify(rest) });
    },
    error: async (fault, { exchange, perform, refuse }) => {
      if (fault.accepted) await perform();
      const answer = refuse(fault);
      exchange.answer({ ...answer, headers: { ...answer.headers, ...retryAfter(fault) } });
    },
    redirect: ({ status, location }, { exchange }) =>
      exchange.answer({ status, contentType: 'text/plain', body: '', headers: { location } }),
  };

/** Answers an exchange rightly, or as the fault says. */
export async function answerWithFault(fault: AnswerFault | undefined, struck: Struck): Promise<void> {
  if (fault === undefined) {
    struck.exchange.answer(await struck.perform(), struck.delivered);
    return;
  }
  // The table is typed by kind, which TypeScript cannot follow through an index.
  const strike = STRIKES[fault.kind] as (fault: AnswerFault, struck: Struck) => unknown;
  await strike(fault, struck);
}

/** Not JSON any more, but of the same length. */
function garble(body: string): string {
  return body.replaceAll(/[{}":,]/g, '~');
}

function retryAfter({ retryAfter, retryAfterAsDate }: FaultOf<'error'>): Record<string, string> {
  if (retryAfter === undefined) return {};
  const value = retryAfterAsDate
    ? new Date(Date.now() + retryAfter * 1000).toUTCString()
    : String(retryAfter);
  return { 'retry-after': value };
}
