import { isRecord } from '../api/json/is-record.ts';
import { parseDuration } from './duration.ts';
import { DEFAULT_POLICY, type Policy } from './policy.ts';

/**
 * A submit's times by what a request says of them, in milliseconds: the defaults stand for what it leaves out, or says
 * wrongly. For who has to know them before a worker has checked the request and laid it over the configuration.
 *
 * @param policy as in the request: anything
 */
export function submitTimes(policy: unknown): Policy['submit'] {
  const asked = isRecord(policy) && isRecord(policy['submit']) ? policy['submit'] : {};
  const { timeout, heartbeat } = DEFAULT_POLICY.submit;
  return {
    timeout: parseDuration(asked['timeout']) ?? timeout,
    heartbeat: parseDuration(asked['heartbeat']) ?? heartbeat,
  };
}
