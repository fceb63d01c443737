import { expect, test } from 'vitest';
import { isSecret, newSecret, signatures } from '../../../emulator/src/webhooks/sign.ts';

const VECTOR = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test.each<[string, boolean]>([
  [newSecret(), true],
  [VECTOR, true],
  [`whsec_${VECTOR}`, true],
  [Buffer.alloc(25).toString('base64'), true],
  [Buffer.alloc(23).toString('base64'), false],
  ['', false],
  ['whsec_', false],
  [`whsec_whsec_${VECTOR}`, false],
  [`${VECTOR}whsec_${VECTOR}`, false],
  [` ${VECTOR}`, false],
  [`${VECTOR}!`, false],
  [`${VECTOR}===`, false],
])('%j as a secret: %j', (secret, can) => {
  expect(isSecret(secret)).toBe(can);
});

test('a delivery is signed as in the example of Standard Webhooks', () => {
  const example = ['msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', '{"test": 2432232314}'] as const;
  const standard = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  expect(signatures([`whsec_${VECTOR}`], ...example)).toMatchObject({ standard });
  expect(signatures([VECTOR, `whsec_${VECTOR}`], ...example)).toMatchObject({
    standard: `${standard} ${standard}`,
  });
});
