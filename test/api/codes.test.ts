import { expect, it } from 'vitest';
import { generationCode, withoutPrefix } from '../../src/api/codes.ts';
import { parseJson } from '../../src/api/json/parse-json.ts';

it.each<[unknown, string | undefined]>([
  ['IMAGE_GENERATION_TIMEOUT', 'TIMEOUT'],
  ['VIDEO_GENERATION_FAILED', 'FAILED'],
  ['TTS_GENERATION_RATE_LIMITED', 'RATE_LIMITED'],
  ['UNAUTHORIZED', 'UNAUTHORIZED'],
  ['TIMEOUT', 'TIMEOUT'],
  ['IMAGE_GENERATION_MELTED', undefined],
  ['MUSIC_GENERATION_TIMEOUT', undefined],
  ['X_IMAGE_GENERATION_TIMEOUT', undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
])('the code %j is %j without its prefix', (code, bare) => {
  expect(generationCode(code as string | null | undefined)).toBe(bare); // of the table above
});

it('a code without a known prefix is what it is', () => {
  expect(withoutPrefix('IMAGE_GENERATION_MELTED')).toBe('MELTED');
  expect(withoutPrefix('IMAGE_GENERATION')).toBe('IMAGE_GENERATION');
});

it('a text that is no JSON has no value', () => {
  expect(parseJson('{"a":1}')).toEqual({ a: 1 });
  for (const text of ['', '{', 'undefined', '{"a":1} x']) expect(parseJson(text)).toBeUndefined();
});
