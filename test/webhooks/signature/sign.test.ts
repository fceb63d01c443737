import { expect, it } from 'vitest';
import { signedHeaders } from '../../../src/webhooks/signature/sign.ts';
import { OTHER_SECRET } from '../signed-delivery.ts';

// The example of the Standard Webhooks libraries.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const SENT = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', at: 1_614_265_330_999 };

it('what is sent is signed as in the example of Standard Webhooks, at the second that has begun', () => {
  expect(signedHeaders([SECRET], SENT)).toEqual({
    'webhook-id': SENT.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': SIGNATURE,
  });
});

it('what is sent while secrets rotate is signed with each of them', () => {
  const { 'webhook-signature': other } = signedHeaders([OTHER_SECRET], SENT);
  expect(signedHeaders([SECRET, OTHER_SECRET], SENT)['webhook-signature']).toBe(`${SIGNATURE} ${other}`);
});
