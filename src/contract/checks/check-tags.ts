import type { Mistake } from '../../api/input/mistakes.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { shownName } from '../../api/text/shown.ts';
import { MOST_TAGS, TAG } from '../tags.ts';

const FORM = '1 to 64 letters, digits, dots, underscores, hyphens or colons';

export function checkTags(tags: unknown): Mistake[] {
  if (tags === undefined) return [];
  if (!isRecord(tags))
    return [{ path: 'tags', message: 'must be an object of short words: { "team": "film" }' }];
  const entries = Object.entries(tags);
  if (entries.length > MOST_TAGS)
    return [{ path: 'tags', message: `are ${entries.length}; at most ${MOST_TAGS} are taken` }];
  return entries.flatMap(([key, value]) => {
    const path = `tags.${shownName(key)}`;
    if (!TAG.test(key)) return [{ path, message: `must have a name of ${FORM}` }];
    return typeof value === 'string' && TAG.test(value) ? [] : [{ path, message: `must be ${FORM}` }];
  });
}
