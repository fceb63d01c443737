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

const STATUSES = [
  [7, 'PERMISSION_DENIED', 'TEMPORAL_REFUSED', 'Temporal refuses: '],
  [8, 'RESOURCE_EXHAUSTED', 'TEMPORAL_REFUSED', 'Temporal refuses: '],
  [4, 'DEADLINE_EXCEEDED', 'TEMPORAL_UNREACHABLE', 'Temporal gave no answer: '],
  [13, 'INTERNAL', 'TEMPORAL_UNREACHABLE', 'Temporal gave no answer: '],
] as const;

it.for(STATUSES)('a call that ends with gRPC status %i, %s, is a %s', ([code, name, type, words]) => {
  const status = Object.assign(new Error(`${code} ${name}: why`), { code, details: 'why', metadata: {} });
  for (const error of [status, new ServiceError('Failed to start Workflow', { cause: status })]) {
    const failure = toCommandFailure(fromTemporal(error));
    expect(failure).toMatchObject({ type, exitCode: 1 });
    expect(failure.message).toContain(`${words}${code} ${name}: why`);
  }
});
