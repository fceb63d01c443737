import { isRecord } from '../../api/is-record.ts';
import type { FailureDetails } from '../../contract/generation.ts';

/** `TYPE: message`, and one line for each field that was wrong. */
export function describeFailure({
  type,
  message,
  details,
}: {
  type: string;
  message: string;
  details: unknown;
}): string {
  const errors = isRecord(details) ? ((details as Partial<FailureDetails>).errors ?? []) : []; // the contract's detail
  if (errors.length === 0) return `${type}: ${message}`;
  return [
    `${type}: the request is invalid`,
    ...errors.map(({ path, message }) => `  ${path} ${message}`),
  ].join('\n');
}
