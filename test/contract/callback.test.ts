import { describe, expect, it } from 'vitest';
import { listErrors } from '../../src/api/input/mistakes.ts';
import { callbackUrl, checkCallback } from '../../src/contract/callback.ts';

const NO_URL = 'must be an http(s) URL without a user name, like https://hooks.example.com/done';
const ELSEWHERE =
  'is below none of the callbacks in the worker\'s DARKROOM_CONFIG: { "callbacks": ["https://hooks.example.com/"] }';
const below = (...prefixes: string[]) => ({ prefixes, isSigned: true });
const saidOf = (...asked: Parameters<typeof checkCallback>): string[] =>
  listErrors(checkCallback(...asked)).map(({ path, message }) => `${path} ${message}`);

describe("a request's callback", () => {
  it.each([
    'https://hooks.example.com/done',
    'http://hooks.example.com:8080/',
    `https://hooks.example.com/${'x'.repeat(2_022)}`,
  ])('may be %.40s', (url) => {
    expect(callbackUrl(url)?.href).toBe(url);
    expect(saidOf(url, undefined)).toEqual([]);
  });

  it.each([
    'hooks.example.com',
    'ftp://hooks.example.com/',
    'xhttp://hooks.example.com/',
    'httpsx://hooks.example.com/',
    'https://me@hooks.example.com/',
    'https://:pw@hooks.example.com/',
    `https://hooks.example.com/${'x'.repeat(2_023)}`,
    '',
    7,
    null,
  ])('is not %.40j', (callback) => {
    expect(saidOf(callback, undefined)).toEqual([`callback ${NO_URL}`]);
    expect(saidOf(callback, below('https://hooks.example.com/'))).toEqual([`callback ${NO_URL}`]);
  });

  it('may be left out', () => {
    expect(saidOf(undefined, { prefixes: [], isSigned: false })).toEqual([]);
  });

  it.each([
    ['https://a.example/done', 'https://a.example/'],
    ['https://a.example/done', 'https://a.example/done'],
    ['https://a.example/done/1', 'https://a.example/done'],
    ['https://a.example/done/1?x=2', 'https://a.example/done/'],
  ])('%s lies below %s', (url, prefix) => {
    expect(saidOf(url, below(prefix))).toEqual([]);
    expect(saidOf(url, below('https://other.example/', prefix))).toEqual([]);
    expect(saidOf(url, { prefixes: [prefix], isSigned: false })).toEqual([
      'callback cannot be signed: set DARKROOM_CALLBACK_SECRET on the worker',
    ]);
  });

  it.each([
    ['https://a.example/donesoon', 'https://a.example/done'],
    ['https://a.example/done', 'https://a.example/done/'],
    ['http://a.example/done', 'https://a.example/'],
    ['https://a.example:444/done', 'https://a.example/'],
    ['https://a.example.evil.example/done', 'https://a.example/'],
    ['https://a.example/other/done', 'https://a.example/done'],
    ['https://a.example/done', 'no URL'],
  ])('%s does not lie below %s', (url, prefix) => {
    expect(saidOf(url, below(prefix))).toEqual([`callback ${ELSEWHERE}`]);
  });
});
