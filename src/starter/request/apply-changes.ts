import { isRecord } from '../../api/json/is-record.ts';
import type { PolicyChange } from '../../client/starting/rerun.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { PipelineRequest, PipelineStep } from '../../contract/pipeline.ts';
import type { PolicySubset } from '../../policy/policy-subset.ts';
import { UsageError } from '../failures/usage-error.ts';
import { parseFieldOrFile } from './parse-fields.ts';

/**
 * A generation's request with the changes of `--set policy.<field>=<value>`: what it buys stays what it was.
 *
 * @throws UsageError
 */
export function changeGeneration(request: GenerationRequest, changes: readonly string[]): PolicyChange {
  const again = changes.reduce((changed, change) => {
    const [path, text] = split(change);
    const [root, ...fields] = path;
    if (root !== 'policy') {
      throw new UsageError(
        `--set ${JSON.stringify(change)}: of a generation only policy.<field> can be changed; with another input it is another purchase: use generate`,
      );
    }
    return { ...changed, policy: withValue(changed.policy, fields, readValue(text)) };
  }, request);
  const own = budgetOf(again);
  // What nobody has set is still the same object.
  return { request: again, givesBudget: own?.credits !== undefined && own !== budgetOf(request) };
}

function budgetOf({ policy }: GenerationRequest): PolicySubset['budget'] {
  return (policy as PolicySubset | undefined)?.budget; // checked before it is started
}

/**
 * A pipeline's request with the changes of `--set`: `<step>.<field>=<value>`, `<step>.model=<id>`, `<step>.templateId=<id>`, and
 * `policy.<field>`, `<step>.policy.<field>` and `budget.credits`.
 *
 * @throws UsageError
 */
export function changePipeline(request: PipelineRequest, changes: readonly string[]): PipelineRequest {
  // Anybody can start a workflow with anything: such a run has ended as INVALID_REQUEST.
  if (!isRecord(request.steps)) return request;
  return changes.reduce((changed, change) => {
    const [[root = '', ...fields], text] = split(change);
    const { steps } = changed;
    if (Object.hasOwn(steps, root)) {
      return { ...changed, steps: { ...steps, [root]: changeStep(steps[root], fields, text) } };
    }
    if (root === 'policy') {
      return { ...changed, policy: withValue(changed.policy, fields, readValue(text)) };
    }
    // Whether that is a budget is checked with all the rest.
    if (root === 'budget')
      return { ...changed, ...withValue(changed, ['budget', ...fields], readValue(text)) };
    const names = Object.keys(steps).join(', ');
    throw new UsageError(`--set names the step ${root}; the steps are: ${names} (and policy, budget)`);
  }, request);
}

function changeStep(step: PipelineStep | undefined, path: readonly string[], text: string): PipelineStep {
  const { model, input, policy } = step ?? { model: '', input: {} };
  const [field = '', ...more] = path;
  if (field === 'model') return { ...step, model: text, input };
  if (field === 'templateId') return { ...step, model, input, templateId: text };
  if (field === 'policy') return { ...step, model, input, policy: withValue(policy, more, readValue(text)) };
  const name = path.join('.');
  const value = readReference(text) ?? parseFieldOrFile(model, name, text);
  return { ...step, model, input: { ...input, [name]: value } };
}

/** `a.b=c` → `[['a', 'b'], 'c']` */
function split(change: string): [path: string[], text: string] {
  const [, path, text] = /^([^=]+)=(.*)$/s.exec(change) ?? [];
  const names = path?.split('.') ?? [];
  if (text === undefined || names.length < 2 || names.includes('')) {
    throw new UsageError(
      `--set ${JSON.stringify(change)} is not step.field=value, like still.prompt="a blue fox", nor like policy.budget.credits=100`,
    );
  }
  return [names, text];
}

/** A copy with one value put in its place, and the objects above it where there are none. */
function withValue(object: unknown, path: readonly string[], value: unknown): Record<string, unknown> {
  const [field = '', ...more] = path;
  const fields = isRecord(object) ? object : {};
  return { ...fields, [field]: more.length === 0 ? value : withValue(fields[field], more, value) };
}

/** JSON where it is some, else text: `100`, `true`, `10m`. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `{"$from":"still"}` in place of a value. */
function readReference(text: string): unknown {
  const value = /^\s*\{\s*"\$/.test(text) ? readValue(text) : undefined;
  return isRecord(value) ? value : undefined;
}
