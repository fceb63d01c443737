import { isRecord } from '../../api/is-record.ts';
import { parseDuration } from '../../policy/duration.ts';
import { layOver } from '../../policy/lay-over.ts';
import { DEFAULT_POLICY, type Policy } from '../../policy/policy.ts';

/**
 * The policy of a run that was started with release 0.1: its check has recorded the configuration's subset alone, as
 * it was written. It was checked then.
 */
export function resolvePolicy(recorded: unknown, requested: unknown): Policy {
  return layOver(DEFAULT_POLICY, inMilliseconds(layOver(recorded, requested))) as Policy; // checked as a policy's subset
}

/** Every duration that is written as text, in milliseconds. */
function inMilliseconds(value: unknown): unknown {
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, inMilliseconds(inner)]));
  return typeof value === 'string' ? (parseDuration(value) ?? value) : value;
}
