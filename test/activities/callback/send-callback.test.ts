import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { sendCallback } from '../../../src/activities/callback/send-callback.ts';
import { eventually } from '../../eventually.ts';
import { startOrigin } from '../../outputs/origin.ts';
import { rejection } from '../../rejection.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const word = {
  type: 'generation.completed',
  workflowId: 'generation/1',
  runId: '1',
  status: 'COMPLETED',
} as const;

it('receivers that hang leave most of the slots to tasks: what comes meanwhile is tried later', async () => {
  const answers: (() => void)[] = [];
  const origin = await startOrigin((_, response) => answers.push(() => response.writeHead(204).end()));
  const callbacks = { prefixes: [origin.url], secrets: [SECRET], isSigned: true };
  const send = (): Promise<void> =>
    sendCallback({ callbacks, downloads: { allowPrivate: true } }, { url: origin.url, word });
  const hanging = Array.from({ length: 40 }, send);
  await eventually(() => expect(answers).toHaveLength(40));
  const failure = await rejection(send());
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ type: 'CALLBACKS_BUSY', nonRetryable: false });
  for (const answer of answers) answer();
  await Promise.all(hanging);
  const late = send();
  await eventually(() => expect(answers).toHaveLength(41));
  answers.at(-1)?.();
  await late;
});
