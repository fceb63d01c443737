import { status } from '@grpc/grpc-js';
import {
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type NextCall = Parameters<Interceptor>[1];
type Call = ReturnType<NextCall>;

const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());

/** Milliseconds for an answer, and for what keeps a question open until something happens: those say when themselves. */
const PATIENCE = 20_000;
const LONG_POLLS = /\/(?:GetWorkflowExecutionHistory|UpdateWorkflowExecution|PollWorkflowExecutionUpdate)$/;

/** Ends a call that nobody has set a deadline for: a server that is frozen would keep it for good. */
export function endingInTime(patience = PATIENCE): Interceptor {
  return (options, nextCall) => {
    const isOpen = options.deadline === undefined && !LONG_POLLS.test(options.method_definition.path);
    const call = nextCall(isOpen ? { ...options, deadline: Date.now() + patience } : options);
    return call as ReturnType<Interceptor>; // gRPC passes on what it is given
  };
}

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
    start: (metadata, listener) => listener?.onReceiveStatus?.({ code: status.CANCELLED, details, metadata }),
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    startRead: nothing,
    halfClose: nothing,
    cancelWithStatus: nothing,
    getPeer: () => '',
    getAuthContext: () => null,
  };
}
