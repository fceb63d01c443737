import { expect, it } from 'vitest';
import { RunningReceiver } from '../running-receiver.ts';
import { delivery, standardHeaders } from '../signed-delivery.ts';
import { post, sendRaw } from './raw-request.ts';

it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'post'])(
  'a delivery by %s is refused, however well it is signed: only POST is taken',
  async (method) => {
    await using receiver = await RunningReceiver.start();
    const signed = delivery(JSON.stringify({ event: 'ping' }));
    const asPost = post(standardHeaders(signed), signed.body).toString('latin1');
    const statusOf = async (request: string): Promise<number> =>
      (await sendRaw(receiver.port, Buffer.from(request, 'latin1'))).status;
    expect(await statusOf(asPost)).toBe(204);
    // A method that HTTP does not have is no request at all.
    const refused = method === 'post' ? 400 : 405;
    expect(await statusOf(asPost.replace(/^POST/, method))).toBe(refused);
  },
);
