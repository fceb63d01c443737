import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { knownBy } from '../../../src/client/batch/known-rows.ts';
import { ROW_MEMO } from '../../../src/contract/batch.ts';

const ROW = { workflowId: 'batch/a/one', digest: 'digest' };
const BEGUN = { input: { payloads: [defaultPayloadConverter.toPayload({ pages: [] })] } };
const EVENTS = [
  { workflowExecutionStartedEventAttributes: BEGUN },
  {
    startChildWorkflowExecutionInitiatedEventAttributes: {
      workflowId: ROW.workflowId,
      memo: { fields: { [ROW_MEMO]: defaultPayloadConverter.toPayload(ROW.digest) } },
    },
  },
];
const STARTED = {
  childWorkflowExecutionStartedEventAttributes: { workflowExecution: { workflowId: ROW.workflowId } },
};

it('a row that a batch was about to start when it was ended is not known, until it would be there in any case', () => {
  expect(knownBy(EVENTS, false).begun(-1, ROW)).toBe(false);
  expect(knownBy(EVENTS, true).begun(-1, ROW)).toBe(true);
  expect(knownBy([...EVENTS, STARTED], false).begun(-1, ROW)).toBe(true);
  expect(knownBy([...EVENTS, STARTED], false).begun(-1, { ...ROW, digest: 'another' })).toBe(false);
});
