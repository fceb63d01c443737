import { randomBytes } from 'node:crypto';
import { isRecord } from '../../api/is-record.ts';
import type { PipelineRequest, PipelineStep } from '../../contract/pipeline.ts';
import type { Answer } from '../answer.ts';
import { describePipelineResult } from '../describe/describe-pipeline.ts';
import { UsageError } from '../failures/usage-error.ts';
import { announce } from '../follow/announce.ts';
import { followPipeline } from '../follow/follow.ts';
import { checkPipeline } from '../request/check-request.ts';
import { parseField } from '../request/parse-fields.ts';
import type { Session } from '../session.ts';

/**
 * Starts a pipeline of a new id with the old one's request and the changes, which takes over every step that is
 * unchanged and had completed.
 */
export async function rerunPipeline(
  { config, darkroom, temporal }: Session,
  workflowId: string,
  earlier: unknown,
  changes: readonly string[],
  id: string | undefined,
): Promise<Answer> {
  const old = earlier as PipelineRequest; // a pipeline's argument
  const request: PipelineRequest = {
    ...old,
    steps: changes.reduce(applyChange, old.steps),
    reuse: workflowId,
  };
  checkPipeline(request, config);
  const key = id ?? `${workflowId.replace(/^pipeline\//, '')}.rerun-${randomBytes(3).toString('hex')}`;
  const handle = await darkroom.startPipeline(request, { key });
  announce(handle, config.temporal);
  const result = await followPipeline(temporal, handle);
  return { json: result, text: describePipelineResult(result) };
}

type Steps = Readonly<Record<string, PipelineStep>>;

/** Applies one `step.field=value`; `step.model=…` changes the model. */
function applyChange(steps: Steps, change: string): Steps {
  const [, name, field, text] = /^([^.=]+)\.([^=]+)=(.*)$/s.exec(change) ?? [];
  if (name === undefined || field === undefined || text === undefined) {
    throw new UsageError(
      `--set ${JSON.stringify(change)} is not step.field=value, like still.prompt="a blue fox"`,
    );
  }
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (step === undefined) {
    throw new UsageError(`--set names the step ${name}; the steps are: ${Object.keys(steps).join(', ')}`);
  }
  if (field === 'model') return { ...steps, [name]: { ...step, model: text } };
  const value = readReference(text) ?? parseField(step.model, field, text);
  return { ...steps, [name]: { ...step, input: { ...step.input, [field]: value } } };
}

/** `{"$from":"still"}` in place of a value. */
function readReference(text: string): unknown {
  if (!/^\s*\{\s*"\$/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
