import { filesIn } from '../../api/input/file-fields.ts';
import { listErrors, type Mistake } from '../../api/input/mistakes.ts';
import { wrongTemplateId } from '../../api/input/template.ts';
import { type InputSource, inputMistakes } from '../../api/input/validate-input.ts';
import { given } from '../../api/json/given.ts';
import { isRecord } from '../../api/json/is-record.ts';
import type { ModelOverrides } from '../../api/models/override.ts';
import { findModel } from '../../api/models/registry.ts';
import { parsePolicy } from '../../policy/parse-policy.ts';
import { DEFAULT_POLICY, type Policy } from '../../policy/policy.ts';
import { priceFacts } from '../../policy/prices/price-facts.ts';
import type { RequestCheck } from '../activities.ts';
import { type CallbackRules, checkCallback } from '../callback.ts';
import { type GenerationRequest, type Ordered, WHY_NOTHING, type WhyNothing } from '../generation.ts';
import { MOST_NUMBER, RUN_ID } from '../limits.ts';
import { checkBudgetsAbove } from '../purchases/payers.ts';
import { DEFAULT_WORKSPACE } from '../workflow-ids.ts';
import { checkExtent } from './check-extent.ts';
import { type CheckedFiles, checkFiles, withPlaceholders } from './check-files.ts';
import { checkTags } from './check-tags.ts';

/** What a check needs to know of the configuration. */
export interface CheckDeps {
  models: ModelOverrides;
  /** The policy subset of DARKROOM_CONFIG, already checked; laid under each request's own. */
  policy: unknown;
  /** By name. */
  workspaces: ReadonlyMap<string, CheckedWorkspace>;
  /** The store that files are in; absent where it is not known. */
  files?: CheckedFiles | undefined;
  /** Where callbacks may go; absent where it is not known. */
  callbacks?: CallbackRules | undefined;
}

/** What a check needs to know of a workspace. */
interface CheckedWorkspace {
  /** Whether it has a webhook secret; undefined: that is not known here. */
  takesWebhooks?: boolean;
}

const REQUEST_FIELDS = [
  'model',
  'input',
  'templateId',
  'workspace',
  'policy',
  'tags',
  'callback',
  'earlierRun',
  'adoptOnly',
  'budgetsAbove',
  'sourceSeconds',
];
const RUN_ID_FORM = 'as the Temporal Web UI shows it: 8-4-4-4-12 hexadecimal digits';

/** Checks a `generation` request whole: its shape, model, fields, policy and workspace. No network call. */
export function checkGenerationRequest(request: unknown, deps: CheckDeps): RequestCheck {
  if (!isRecord(request)) {
    return { ok: false, errors: [{ path: 'request', message: 'must be an object with model and input' }] };
  }
  const unfit = checkExtent(request);
  if (unfit.length > 0) return { ok: false, errors: listErrors(unfit) };
  const configured = parsePolicy(deps.policy, DEFAULT_POLICY).policy;
  const own = parsePolicy(request['policy'], configured);
  const errors = [
    ...unknownFields(request, REQUEST_FIELDS),
    ...checkOrdered(request, deps),
    ...own.errors,
    ...checkWorkspace(request['workspace'], deps),
    ...checkTags(request['tags']),
    ...checkBudgetsAbove(request['budgetsAbove']),
    ...checkSourceSeconds(request['sourceSeconds']),
    ...checkCallback(request['callback'], deps.callbacks),
    ...checkOtherwise(own.policy, request['workspace'], deps),
  ];
  const { earlierRun } = request;
  if (earlierRun !== undefined && !(typeof earlierRun === 'string' && RUN_ID.test(earlierRun))) {
    errors.push({ path: 'earlierRun', message: `must be a run id of this workflow id, ${RUN_ID_FORM}` });
  }
  if (request['adoptOnly'] !== undefined && !isWhyNothing(request['adoptOnly'])) {
    errors.push({
      path: 'adoptOnly',
      message: `must be { type, message }; types: ${WHY_NOTHING.join(', ')}`,
    });
  } else if (request['adoptOnly'] !== undefined && earlierRun === undefined) {
    errors.push({ path: 'adoptOnly', message: 'needs an earlierRun to adopt from' });
  }
  const model = typeof request['model'] === 'string' ? findModel(request['model']) : undefined;
  if (errors.length > 0 || model === undefined) return { ok: false, errors: listErrors(errors) };
  return {
    ok: true,
    family: model.family,
    takesSeed: model.seedField !== undefined,
    policy: own.policy,
    ...given({ facts: priceFacts(request as unknown as GenerationRequest) }), // checked just now
  };
}

/** What is wrong with what is to be bought: the model, its fields, and the template that may complete them. */
export function checkOrdered(
  { model, input, templateId }: { readonly [Name in keyof Ordered]?: unknown },
  deps: Pick<CheckDeps, 'models' | 'files'>,
): Mistake[] {
  const wrong = templateId === undefined ? undefined : wrongTemplateId(templateId);
  return [
    ...checkModelInput(model, input, deps, templateId === undefined ? 'caller' : 'template'),
    ...(wrong === undefined ? [] : [{ path: 'templateId', message: wrong }]),
  ];
}

function checkModelInput(
  model: unknown,
  input: unknown,
  { models, files }: Pick<CheckDeps, 'models' | 'files'>,
  from: InputSource,
): Mistake[] {
  const known = typeof model === 'string' ? findModel(model) : undefined;
  const override = known !== undefined && Object.hasOwn(models, known.id) ? models[known.id] : undefined;
  if (known !== undefined && isRecord(input) && filesIn(known, input).length > 0) {
    return [
      ...inputMistakes(known.id, withPlaceholders(known, input), override, from),
      ...checkFiles(known, input, override, files),
    ];
  }
  const mistakes =
    typeof model === 'string'
      ? inputMistakes(model, input, override, from)
      : [{ path: 'model', message: "must be a model's id, like image-l (starter models lists them)" }];
  // Without a model nobody can tell more of its input.
  if (mistakes.some(({ path }) => path === 'model') && !isRecord(input)) {
    return [...mistakes, { path: 'input', message: "must be an object of the model's fields" }];
  }
  return mistakes;
}

function isWhyNothing(value: unknown): value is WhyNothing {
  if (!isRecord(value)) return false;
  const { type, message, ...rest } = value;
  const isKnown = WHY_NOTHING.some((one) => one === type);
  return isKnown && typeof message === 'string' && Object.keys(rest).length === 0;
}

/** Of a request: Darkroom's own pipelines write it, and anybody can. */
function checkSourceSeconds(seconds: unknown): Mistake[] {
  const isAmount = (value: unknown): boolean =>
    typeof value === 'number' && value >= 0 && value <= MOST_NUMBER;
  if (seconds === undefined || (isRecord(seconds) && Object.values(seconds).every(isAmount))) return [];
  return [{ path: 'sourceSeconds', message: 'must have seconds by field, as a pipeline gives them' }];
}

/** A workspace is a wall: what other ones there are is not told. */
export function checkWorkspace(workspace: unknown, deps: Pick<CheckDeps, 'workspaces'>): Mistake[] {
  if (workspace === undefined || (typeof workspace === 'string' && deps.workspaces.has(workspace))) return [];
  return [{ path: 'workspace', message: 'is not configured on this worker' }];
}

/**
 * Without webhooks nothing tells of a task whose answer got lost, so "resubmit" would buy blindly.
 *
 * @param path of the policy in the request
 */
export function checkOtherwise(
  { reconcile }: Pick<Policy, 'reconcile'>,
  workspace: unknown,
  { workspaces }: Pick<CheckDeps, 'workspaces'>,
  path = 'policy',
): Mistake[] {
  const name = typeof workspace === 'string' ? workspace : DEFAULT_WORKSPACE;
  if (reconcile.otherwise !== 'resubmit' || workspaces.get(name)?.takesWebhooks !== false) return [];
  return [{ path: `${path}.reconcile.otherwise`, message: withoutWebhooks(name) }];
}

/** Why a workspace without webhooks cannot have "resubmit", to follow the field's path. */
export function withoutWebhooks(workspace: string): string {
  return `must be "ask" or "fail": workspace ${workspace} has no webhook secret, so nothing would tell of a task whose answer got lost, and it would be bought again`;
}

export function unknownFields(
  fields: Record<string, unknown>,
  known: readonly string[],
  path = '',
): Mistake[] {
  return Object.keys(fields)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: `${path}${field}`, message: `is not known; allowed: ${known.join(', ')}` }));
}
