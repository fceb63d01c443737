import { defaultPayloadConverter } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { RESULT_SCHEMAS } from '../../src/schemas/result-schemas.ts';
import { readRecorded, recordedHistories } from '../replay/histories.ts';

const ajv = new Ajv2020({ strict: false });
const validators = new Map(
  Object.entries(RESULT_SCHEMAS).map(([file, schema]) => [file.replace('.json', ''), ajv.compile(schema)]),
);

/** What the runs of the recorded histories have left behind: their results, and the first details of their failures. */
async function leftBehind(): Promise<{ path: string; schema: string; value: unknown }[]> {
  const all = await Promise.all(
    (await recordedHistories()).map(async (recorded) => {
      const { type, path } = recorded;
      if (!['generation', 'pipeline', 'batch'].includes(type)) return [];
      const last = historyFromJSON(JSON.parse(await readRecorded(recorded))).events?.at(-1);
      const result = last?.workflowExecutionCompletedEventAttributes?.result?.payloads?.[0];
      if (result !== undefined && result !== null)
        return [{ path, schema: `${type}-result`, value: defaultPayloadConverter.fromPayload(result) }];
      const info = last?.workflowExecutionFailedEventAttributes?.failure?.applicationFailureInfo;
      const detail = info?.details?.payloads?.[0];
      if (detail === undefined || detail === null) return [];
      const schema = info?.type === 'PIPELINE_FAILED' ? 'pipeline-result' : 'generation-failure';
      return [{ path, schema, value: defaultPayloadConverter.fromPayload(detail) }];
    }),
  );
  return all.flat();
}

const everything = await leftBehind();

function validatorOf(name: string): ValidateFunction {
  const found = validators.get(name);
  if (found === undefined) throw new Error(`there is no schema ${name}`);
  return found;
}

describe('the JSON Schemas of what comes back', () => {
  it('are of what the recorded runs have left behind', () => {
    const kinds = new Set(everything.map(({ schema }) => schema));
    expect(kinds).toEqual(
      new Set(['generation-result', 'generation-failure', 'pipeline-result', 'batch-result']),
    );
    for (const { path, schema, value } of everything) {
      const isValid = validatorOf(schema);
      isValid(value);
      expect({ path, errors: isValid.errors }).toEqual({ path, errors: null });
    }
  });

  it('refuse what has a field more, or one less', () => {
    for (const { schema, value } of everything) {
      const isValid = validatorOf(schema);
      expect(isValid({ ...(value as object), more: 1 })).toBe(false);
      for (const name of ['usage', 'charged'])
        expect(
          isValid(Object.fromEntries(Object.entries(value as object).filter(([one]) => one !== name))),
        ).toBe(false);
    }
  });
});
