import {
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type NextCall = Parameters<Interceptor>[1];
type Call = ReturnType<NextCall>;
type Listener = NonNullable<Parameters<Call['start']>[1]>;
type Status = Parameters<NonNullable<Listener['onReceiveStatus']>>[0];

/** gRPC's status, which is not tried again. */
// oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is gRPC's, which is no dependency of ours
const CANCELLED = 1 as Status['code'];

const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());

/**
 * The client's own retries for every call but visibility queries: those are paced here, and a refusal has to
 * be seen at once to slow down. The client would keep it to itself and ask again after 1.7 s, and again.
 */
export const retryAllButVisibility: Interceptor = (options, nextCall) =>
  options.method_definition.path.endsWith('/ListWorkflowExecutions')
    ? (nextCall(options) as ReturnType<Interceptor>) // gRPC passes on what it is given
    : retry(options, endingWithConnection(nextCall));

/**
 * A call that waits to be tried again when its connection is closed has nowhere to go: gRPC throws then, out of a timer,
 * where nobody can catch it and the process ends. Such a call ends as cancelled.
 */
function endingWithConnection(nextCall: NextCall): NextCall {
  let tries = 0;
  return (options) => {
    tries += 1;
    if (tries === 1) return nextCall(options); // the caller hears of it
    try {
      return nextCall(options);
    } catch (error) {
      return endedCall(error instanceof Error ? error.message : String(error));
    }
  };
}

function endedCall(details: string): Call {
  const nothing = (): void => undefined;
  return {
    start: (metadata, listener) => listener?.onReceiveStatus?.({ code: CANCELLED, details, metadata }),
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    startRead: nothing,
    halfClose: nothing,
    cancelWithStatus: nothing,
    getPeer: () => '',
    getAuthContext: () => null,
  };
}
