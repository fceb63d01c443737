import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../policy/duration.ts';

/** ISO 8601. `Date` takes much else, `2` for the 1st of February 2001. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** How long ago, or a time; of a date alone its beginning in UTC. @throws InvalidArgumentError */
export function readTime(text: string): Date {
  const ago = parseDuration(text);
  if (ago !== undefined) return new Date(Date.now() - ago);
  const time = new Date(TIME.test(text) ? text : Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError(
      'It is how long ago, like 30m, 2h or 3d, or a time like 2026-11-24T10:00Z.',
    );
  return time;
}
