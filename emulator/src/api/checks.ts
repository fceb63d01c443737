import type { GenerationCode } from '../../../src/api/codes.ts';
import type { Family } from '../../../src/api/family.ts';
import type { ApiKey, Workspace } from '../accounts/accounts.ts';
import { available } from '../accounts/credits.ts';
import { price } from '../accounts/pricing.ts';
import { retryAfterHeader } from '../accounts/rate-limits.ts';
import { type Answer, errorAnswer } from '../http/answer.ts';
import { decoded } from '../http/decoded.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Service } from '../service.ts';
import { moderatedPrompt } from '../tasks/input-meaning.ts';
import type { CheckName } from './check-order.ts';
import { inOurNames, type OfferedModel } from './model-routes.ts';
import { normalizeInput } from './normalize-input.ts';
import { readInput } from './read-input.ts';
import { MESSAGES, type Refusal, refuseSubmit } from './refusals.ts';

/** What is known of a submit: each check needs some of it and adds what it finds out. */
export interface Submission {
  exchange: Exchange;
  /** Below the base URL, percent-encoded. */
  path: string;
  /** Whose submit it is, where the caller says so. */
  workflow: string | null;
  key?: ApiKey;
  workspace?: Workspace;
  offered?: OfferedModel;
  /** The body's fields, under the names on the wire. */
  sent?: Record<string, unknown>;
  template?: { id: string; name: string } | null;
  /** The fields with the template's: as they came, then checked and completed. */
  input?: Record<string, unknown>;
  /** How long the longest source lasts that is heard or seen as it runs; absent where no price hangs on that. */
  sourceSeconds?: number;
}

/** `aborted`: the caller went away. Undefined: it passed. */
type Verdict = Answer | 'aborted' | undefined;

/** The checks of a submit. In which order they are made is an assumption, `checkOrder`. */
export const CHECKS: Readonly<
  Record<CheckName, (service: Service, submission: Submission) => Verdict | Promise<Verdict>>
> = {
  key({ accounts }, submission) {
    const key = accounts.authenticate(submission.exchange.request.headers.authorization);
    if (key === undefined) return errorAnswer(401, { code: 'UNAUTHORIZED', message: MESSAGES.UNAUTHORIZED });
    submission.key = key;
    return undefined;
  },
  workspace({ accounts, assumptions }, submission) {
    const named = submission.exchange.header(assumptions.workspaceHeader);
    const { key } = found(submission, 'key');
    const workspace = accounts.enter(key, named, assumptions.keyScopes.submit);
    if (workspace === undefined) return refuse(assumptions, submission, 'WORKSPACE_FORBIDDEN');
    submission.workspace = workspace;
    return undefined;
  },
  model({ models, assumptions: { unknownRoute } }, submission) {
    // A version's colon may come percent-encoded. What cannot be decoded names no model.
    const offered = models.find(decoded(submission.path) ?? '');
    if (offered === undefined) {
      return errorAnswer(unknownRoute.status, {
        code: unknownRoute.code,
        message: 'There is no such model.',
      });
    }
    submission.offered = offered;
    return undefined;
  },
  'rate limit'({ assumptions, rateLimits }, submission) {
    const { id, rateLimit } = found(submission, 'workspace').workspace;
    const now = Date.now();
    const wait = rateLimit === null ? 0 : rateLimits.take(id, rateLimit, now);
    if (rateLimit === null || wait === 0) return undefined;
    return refuse(assumptions, submission, 'RATE_LIMITED', {
      headers: retryAfterHeader(rateLimit, wait, now),
    });
  },
  async body(service, submission) {
    const { workspace, offered } = found(submission, 'workspace', 'offered');
    const read = await readInput(service, submission.exchange, workspace, offered);
    if (read.kind === 'aborted') return read.kind;
    if (read.kind === 'refused') {
      const { status, message } = read;
      return refuse(service.assumptions, submission, 'INVALID_INPUT', { status, message });
    }
    submission.sent = read.sent;
    return undefined;
  },
  template({ assumptions, templates }, submission) {
    const { workspace, offered, sent } = found(submission, 'workspace', 'offered', 'sent');
    const field = offered.override.templateField ?? assumptions.templateField;
    const { [field]: id, ...own } = sent;
    const template = typeof id === 'string' ? templates.find(id, offered.id, workspace.id) : undefined;
    if (id !== undefined && template === undefined)
      return refuse(assumptions, submission, 'TEMPLATE_NOT_FOUND');
    submission.template = template === undefined ? null : { id: template.id, name: template.name };
    submission.input = { ...template?.input, ...own };
    return undefined;
  },
  async input({ assumptions, lookAtFiles }, submission) {
    const { offered, input } = found(submission, 'offered', 'input');
    const normalized = normalizeInput(offered, input, assumptions.inputDefaults[offered.id]);
    if (normalized.kind === 'invalid') {
      return refuse(assumptions, submission, 'INVALID_INPUT', { errors: normalized.errors });
    }
    submission.input = normalized.input;
    const isLate = assumptions.brokenInputFile === 'task fails';
    if (isLate && assumptions.creditsPerSourceSecond[offered.id] === undefined) return undefined;
    const { seconds, broken: message } = await lookAtFiles(offered, normalized.input);
    submission.sourceSeconds = seconds;
    if (isLate || message === undefined) return undefined;
    return refuse(assumptions, submission, 'INVALID_INPUT', { message });
  },
  credits({ assumptions }, submission) {
    const { workspace } = found(submission, 'workspace');
    const required = priceOf(assumptions, submission);
    const funds = available(workspace.pools, Date.now());
    if (funds >= required) return undefined;
    const names = assumptions.insufficientCreditsDetails;
    const details = names && { [names.required]: required, [names.available]: funds };
    return refuse(assumptions, submission, 'INSUFFICIENT_CREDITS', details === null ? {} : { details });
  },
  moderation({ assumptions }, submission) {
    const { offered, input } = found(submission, 'offered', 'input');
    const { moderationTrigger } = assumptions;
    return moderatedPrompt(inOurNames(offered, input), moderationTrigger).includes(moderationTrigger)
      ? refuse(assumptions, submission, 'CONTENT_REJECTED')
      : undefined;
  },
};

export function priceOf(assumptions: Service['assumptions'], submission: Submission): number {
  const { offered, input } = found(submission, 'offered', 'input');
  return price(offered, inOurNames(offered, input), assumptions, submission.sourceSeconds ?? 0);
}

/** What earlier checks found out. @throws Error where they were not made: the assumption's own check refuses that */
export function found<Name extends keyof Submission>(
  submission: Submission,
  ...names: Name[]
): Required<Pick<Submission, Name>> {
  const missing = names.find((name) => submission[name] === undefined);
  if (missing !== undefined) throw new Error(`The checks came in a wrong order: no ${missing} is known yet`);
  return submission as unknown as Required<Pick<Submission, Name>>; // just looked
}

function refuse(
  assumptions: Service['assumptions'],
  { offered }: Submission,
  code: GenerationCode,
  more: Refusal = {},
): Answer {
  const family: Family = offered?.model.family ?? 'image'; // of a code that has no prefix
  return refuseSubmit(assumptions, family, code, more);
}
