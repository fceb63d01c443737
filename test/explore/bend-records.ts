import { signatures } from '../../emulator/src/webhooks/sign.ts';
import type { Delivery } from '../chaos/webhook-gateway.ts';

/**
 * Has the times of the tasks' records written by a clock that is ahead, signed anew.
 *
 * @param ahead milliseconds; 0: deliveries pass as they are
 */
export function bendRecords(secret: string, ahead: number): (delivery: Delivery) => Delivery {
  if (ahead === 0) return (delivery) => delivery;
  return (delivery) => {
    const text = delivery.body
      .toString('utf8')
      .replaceAll(/"(created_at|started_at|completed_at)":"([^"]+)"/g, (_, field: string, time: string) => {
        return `"${field}":"${new Date(Date.parse(time) + ahead).toISOString()}"`;
      });
    const { headers } = delivery;
    const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
    const { standard, legacy } = signatures([secret], id, timestamp, text);
    const body = Buffer.from(text);
    return {
      ...delivery,
      body,
      headers: {
        ...headers,
        'content-length': String(body.byteLength),
        'webhook-signature': standard,
        'x-webhook-signature': legacy,
      },
    };
  };
}
