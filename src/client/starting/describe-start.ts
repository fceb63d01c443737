import type { GenerationRequest } from '../../contract/generation.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { summarize } from '../../contract/summary.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import type { Started } from './start-request.ts';

/** What the Temporal Web UI shows of a workflow from its start: one line (200 bytes) and a page (20 KB). */
interface StartDescription {
  staticSummary: string;
  staticDetails: string;
}

const MAX_JSON = 6_000;

export function describeStart(started: Started): StartDescription {
  return started.kind === 'generation'
    ? describeGeneration(started.request)
    : describePipeline(started.request);
}

/** `image-l: a red fox in snow` */
function describeGeneration(request: GenerationRequest): StartDescription {
  const { model, input, templateId, workspace = DEFAULT_WORKSPACE } = request;
  const from = templateId === undefined ? '' : ` from template \`${templateId}\``;
  return {
    staticSummary: summarize(request),
    staticDetails: [`**${model}**${from} in workspace \`${workspace}\``, ...jsonBlock(input)].join('\n'),
  };
}

/** `image-l → upscale-q → video-f: a lighthouse at dawn` */
function describePipeline({ steps, workspace = DEFAULT_WORKSPACE }: PipelineRequest): StartDescription {
  const models = Object.values(steps).map(({ model }) => model);
  const shown = models.length > 6 ? [...models.slice(0, 6), `${models.length - 6} more`] : models;
  const words = Object.values(steps).find(({ input }) => typeof input['prompt'] === 'string');
  const count = models.length === 1 ? '1 step' : `${models.length} steps`;
  return {
    staticSummary: summarize({ model: shown.join(' → '), input: words?.input ?? {} }),
    staticDetails: [`Pipeline of ${count} in workspace \`${workspace}\``, ...jsonBlock(steps)].join('\n'),
  };
}

function jsonBlock(value: unknown): string[] {
  const text = JSON.stringify(value, undefined, 2);
  const shown = text.length > MAX_JSON ? `${text.slice(0, MAX_JSON)}\n…` : text;
  return ['', '```json', shown, '```'];
}
