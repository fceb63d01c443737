import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldDigests } from '../../src/api/input/field-digests.ts';
import { fileReference, meantFile, partName } from '../../src/api/input/file-references.ts';
import { patience } from '../patience.ts';

const SHA = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const RESULT = 'default/generation+order-17/904db174-5d2c-4be1-a5e7-0a1b2c3d4e5f-0123456789abcdef.png';

describe('what a URL stands for when inputs are compared', () => {
  it.each([
    `https://files.example.com/darkroom/inputs/sha256/${SHA}`,
    `https://bucket.s3.eu-north-1.amazonaws.com/d/inputs/sha256/${SHA}?X-Amz-Date=20261124T000000Z&X-Amz-Signature=1f`,
    `https://api.example.com/uploads/4711/${partName(SHA, '.png')}`,
    `https://api.example.com/uploads/4711-${partName(SHA)}?token=1`,
    fileReference(SHA),
  ])('is the file of the store: %s', (url) => {
    expect(meantFile(url)).toBe(fileReference(SHA));
    const sent = fieldDigests({ image_url: fileReference(SHA), image_urls: [fileReference(OTHER)] });
    expect(fieldDigests({ image_url: url, image_urls: [url.replace(SHA, OTHER)] })).toEqual(sent);
    expect(fieldDigests({ image_url: url.replace(SHA, OTHER) })).not.toEqual(
      fieldDigests({ image_url: fileReference(SHA) }),
    );
  });

  it.each([
    `file:///srv/outputs/${RESULT}`,
    `s3://bucket/darkroom/${RESULT}`,
    `https://files.example.com/darkroom/${RESULT.replace('+', '%2B')}`,
    `https://bucket.s3.amazonaws.com/darkroom/${RESULT}?X-Amz-Expires=60&X-Amz-Signature=1f`,
  ])('is the stored result: %s', (url) => {
    expect(meantFile(url)).toBe(`darkroom:stored/${RESULT}`);
  });

  it.each([
    // Another parameter may make another file of it.
    `https://files.example.com/darkroom/inputs/sha256/${SHA}?width=100`,
    `https://files.example.com/darkroom/${RESULT}?width=100`,
    `https://cdn.example.com/${SHA}.png`,
    'https://cdn.example.com/users/42/avatar-0123456789abcdef.png',
    'https://cdn.example.com/a+b/c.png',
    `see https://files.example.com/inputs/sha256/${SHA}`,
    'a fox',
    'https://',
  ])('is itself: %s', (text) => {
    expect(meantFile(text)).toBe(text);
  });

  // One that grows with the square of the text would take hours.
  it('takes any text, in a time that grows as the text does', { timeout: patience(120_000) }, () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => typeof meantFile(url) === 'string'),
    );
    for (const piece of ['+/', '/', '+', '%2B', '-0123456789abcdef.png', 'inputs/sha256/'])
      expect(meantFile(`https://x/${piece.repeat(2_000_000 / piece.length)}`)).toBeTypeOf('string');
  });
});
