import { status } from '@grpc/grpc-js';
import { ServiceError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { UpdateQueue } from '../../src/activities/update-queue.ts';

const unanswered = () =>
  new ServiceError('Failed to update', {
    cause: Object.assign(new Error('no answer in time'), {
      code: status.DEADLINE_EXCEEDED,
      details: '',
      metadata: {},
    }),
  });

it('a question of who waits for so long and no longer is given up; the others are asked until they are answered', async () => {
  let isAway = true;
  const asked: string[][] = [];
  const queue = new UpdateQueue<string, string>(
    async (_, questions) => {
      asked.push([...questions]);
      if (isAway) throw unanswered();
      return questions.map((question) => `${question}, answered`);
    },
    { first: 1, longest: 4 },
  );
  const patient = queue.ask('account', 'patient');
  await expect(queue.ask('account', 'impatient', 20)).rejects.toThrow('Failed to update');
  isAway = false;
  expect(await patient).toBe('patient, answered');
  expect(asked.length).toBeGreaterThan(1);
  expect(asked.at(-1)).toEqual(['patient']);
  expect(await queue.ask('account', 'impatient', 20)).toBe('impatient, answered');
});
