import { ServiceError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { toCommandFailure } from '../../../src/starter/failures/command-failure.ts';

it('a Temporal that goes away meanwhile is named, with its reason and what to do', async () => {
  const cause = new Error('14 UNAVAILABLE: No connection established');
  const error = new ServiceError('Failed to get Workflow execution history', { cause });
  const { type, message, exitCode } = await toCommandFailure(error);
  expect({ type, exitCode }).toEqual({ type: 'TEMPORAL_UNREACHABLE', exitCode: 1 });
  expect(message).toContain('Temporal gave no answer: 14 UNAVAILABLE: No connection established');
  expect(message).toContain('npm run starter -- show');
});
