import { isDeepStrictEqual } from 'node:util';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { errorBodySchema } from '../../../src/api/error-body.ts';
import type { Model } from '../../../src/api/models/define-model.ts';
import { isModelId, MODELS } from '../../../src/api/models/registry.ts';
import {
  audioOutputSchema,
  imageOutputSchema,
  videoOutputSchema,
} from '../../../src/api/records/generation-record.ts';
import { outputAssets } from '../../../src/api/records/output-assets.ts';
import { fromWire } from '../../../src/api/wire.ts';
import { type Case, casesFor } from '../cases.ts';
import { accepted, wireCode } from './answers.ts';
import type { Answer } from './caller.ts';
import { type Check, needing } from './check.ts';
import { inBatches } from './in-batches.ts';
import { NotHere } from './not-here.ts';
import type { Target } from './target.ts';

/** How many submits are under way at once where nothing costs money. */
const AT_ONCE = 16;

const OUTPUTS = { image: imageOutputSchema, video: videoOutputSchema, audio: audioOutputSchema } as const;

/** Every model: what it takes, what it refuses, what it gives. Where submits cost money only its example goes. */
export function submits(check: Check): void {
  const bought = new Map<string, string>();

  describe.each(Object.values(MODELS).map((model) => [model.id, model] as const))('%s', (_id, model) => {
    submitsOf(model, check, bought);
  });
}

function submitsOf(model: Model, check: Check, bought: Map<string, string>): void {
  check(
    'accepts its minimal and maximal inputs and each field at its limits, and keeps what was sent',
    async (target) => {
      const cases = casesOf(target, model).filter(({ valid }) => valid);
      const chosen = target.free ? cases : cases.filter(({ name }) => name === 'example');
      const wrong = await inBatches(chosen, target.free ? AT_ONCE : 1, async ({ name, input }) => {
        const answer = await target.caller.submit(model, input);
        return {
          name,
          input,
          wrong: whatIsWrongWhenAccepted(target, model, input, answer, bought),
          answer,
        };
      });
      expect(wrong.filter((one) => one.wrong !== undefined)).toEqual([]);
    },
  );

  needing(
    check,
    'limits',
    'error bodies',
  )('refuses each input just outside of a limit with INVALID_INPUT, and says which field', async (target) => {
    const cases = casesOf(target, model).filter(({ valid }) => !valid);
    const wrong = await inBatches(cases, target.free ? AT_ONCE : 1, async ({ name, input, path }) => {
      const answer = await target.caller.submit(model, input);
      return { name, input, wrong: whatIsWrongWhenRefused(target, model, path, answer), answer };
    });
    expect(wrong.filter((one) => one.wrong !== undefined)).toEqual([]);
  });

  check('completes with an output of its kind', async (target) => {
    const id = bought.get(model.id);
    if (id === undefined) throw new NotHere('nothing was bought of it');
    const { status, data } = await target.caller.recordWhen(id);
    expect(status).toBe('COMPLETED');
    expect(typeof data === 'string' ? data : OUTPUTS[model.output].parse(data)).toEqual(data);
    const [file] = outputAssets(data);
    if (!target.has('files')) return;
    const response = await fetch(file?.url ?? '');
    expect([response.status, (await response.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
  });
}

/** @throws NotHere for a model that may not be bought, or whose inputs need files that nobody has */
function casesOf(target: Target, model: Model): Case[] {
  const { models, files } = target.settings;
  if (!isModelId(model.id) || !models.includes(model.id))
    throw new NotHere('CONFORMANCE_MODELS leaves it out');
  const cases = casesFor(model, target.inputUrl);
  const example = cases.find(({ name }) => name === 'example');
  if (!target.free && files === undefined && JSON.stringify(example).includes('https://example.com/')) {
    throw new NotHere('its input needs a file: CONFORMANCE_FILES says where they are');
  }
  return cases;
}

function whatIsWrongWhenAccepted(
  target: Target,
  model: Model,
  sent: Record<string, unknown>,
  answer: Answer,
  bought: Map<string, string>,
): string | undefined {
  if (answer.status < 200 || answer.status > 299) return 'it was refused';
  const { id, input } = accepted(answer);
  if (!bought.has(model.id)) bought.set(model.id, id);
  if (!target.has('normalized inputs')) return undefined;
  const normalized = fromWire(input, target.settings.overrides[model.id]);
  const changed = Object.keys(sent).filter((name) => !isDeepStrictEqual(normalized[name], sent[name]));
  return changed.length === 0 ? undefined : `its normalized input has another ${changed.join(', ')}`;
}

function whatIsWrongWhenRefused(
  target: Target,
  model: Model,
  path: string | undefined,
  { status, body }: Answer,
): string | undefined {
  if (status >= 200 && status < 300) return 'it was accepted';
  const error = errorBodySchema.safeParse(body);
  if (!error.success) return `its error body is none: ${z.prettifyError(error.error)}`;
  if (error.data.code !== wireCode('INVALID_INPUT', model.family)) return 'it was refused with another code';
  // API specification, Authentication 5: an authenticated request that fails validation gives 422.
  if (status !== 422) return 'its status is not 422';
  // How a service writes a path is not shown, so only the emulator's are compared.
  const [field = '', ...rest] = path?.split('.').slice(1) ?? [];
  const wirePath = [target.settings.overrides[model.id]?.fields?.[field] ?? field, ...rest].join('.');
  const blamed = error.data.errors?.map((entry) => entry.path) ?? [];
  return !target.isEmulator || blamed.includes(wirePath) ? undefined : `${wirePath} is not blamed`;
}
