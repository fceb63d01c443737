import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';

/**
 * How workflows read what comes from outside. Anybody who can reach the namespace can send a message whose payload
 * cannot be read at all, and one that throws fails the workflow's task, again and again, for good: so it is read as
 * nothing, and whoever takes it checks it anyway.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value, context) => defaultPayloadConverter.toPayload(value, context),
  fromPayload: (payload, context) => {
    try {
      return defaultPayloadConverter.fromPayload(payload, context);
    } catch {
      return undefined as never; // the SDK's signature promises whatever the caller expects
    }
  },
};
