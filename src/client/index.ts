/** `darkroom`: the client for backend services. It loads neither the worker nor its native part, nor the receiver. */
export * from './darkroom-client.ts';
