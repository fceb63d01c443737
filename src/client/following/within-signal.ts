import type { Client } from '@temporalio/client';

/**
 * Runs `work`; the signal ends every call to Temporal in it. The SDK by itself forgets a call that begins once its
 * signal is aborted: that one would wait for its answer beyond its caller, and when its connection is closed, be tried
 * again out of a timer, where gRPC throws and the process ends.
 */
export async function withinSignal<T>(
  client: Client,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const own = AbortSignal.any([signal]);
  const listen = own.addEventListener.bind(own);
  own.addEventListener = (type: string, listener: (event: Event) => void): void => {
    if (own.aborted) listener(new Event(type));
    else listen(type, listener, { once: true });
  };
  return await client.withAbortSignal(own, work);
}
