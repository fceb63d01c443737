import {
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());

/**
 * The client's own retries for every call but visibility queries: those are paced here, and a refusal has to
 * be seen at once to slow down. The client would keep it to itself and ask again after 1.7 s, and again.
 */
export const retryAllButVisibility: Interceptor = (options, nextCall) =>
  options.method_definition.path.endsWith('/ListWorkflowExecutions')
    ? (nextCall(options) as ReturnType<Interceptor>) // gRPC passes on what it is given
    : retry(options, nextCall);
