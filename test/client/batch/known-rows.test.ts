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

it('a row that a batch was about to start when it was ended is not known', () => {
  expect(knownBy(EVENTS).begun(-1, ROW)).toBe(false);
  for (const answer of [STARTED, { startChildWorkflowExecutionFailedEventAttributes: ROW }]) {
    expect(knownBy([...EVENTS, answer]).begun(-1, ROW)).toBe(true);
    expect(knownBy([...EVENTS, answer]).begun(-1, { ...ROW, digest: 'another' })).toBe(false);
  }
});
