import { ServiceError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { toCommandFailure } from '../../../src/starter/failures/command-failure.ts';
import { fromTemporal } from '../../../src/starter/failures/from-temporal.ts';

it('a Temporal that goes away meanwhile is named, with its reason and what to do', () => {
  const cause = new Error('14 UNAVAILABLE: No connection established');
  const error = new ServiceError('Failed to get Workflow execution history', { cause });
  const { type, message, exitCode } = toCommandFailure(fromTemporal(error));
  expect({ type, exitCode }).toEqual({ type: 'TEMPORAL_UNREACHABLE', exitCode: 1 });
  expect(message).toContain('Temporal gave no answer: 14 UNAVAILABLE: No connection established');
  expect(message).toContain('npm run starter -- show');
});
