import { expect, it } from 'vitest';
import { unsignedUrl } from '../../src/outputs/unsigned-url.ts';

const FILE = 'https://files.example/a.png';

it.each([
  'X-Amz-Signature=1&X-Amz-Date=2',
  'x-goog-signature=1',
  'x-oss-signature=1',
  'x-tos-signature=1',
  'x-cos-security-token=1',
  'Expires=1&Signature=2&Key-Pair-Id=3&Policy=4',
  'AWSAccessKeyId=1',
  'GoogleAccessId=1',
  'OSSAccessKeyId=1&security-token=2',
  'q-sign-algorithm=1&q-ak=2&q-sign-time=3&q-key-time=4&q-header-list=5&q-url-param-list=6&q-signature=7',
  'sig=1&se=2&sp=3&sv=4&sr=5&st=6&spr=7&ske=8&sks=9&skt=10&skv=11&skoid=12&sktid=13',
  'X-Amz-Signature=1&X-Amz-Signature=2#top',
])('a URL is the same without what signs it: %s', (query) => {
  expect(unsignedUrl(`${FILE}?${query}`)).toBe(FILE);
  expect(unsignedUrl(`${FILE}?version=3&${query}`)).toBe(`${FILE}?version=3`);
});

it.each([
  'x-amzn-trace=1',
  'my-x-amz-date=1',
  'expires-at=1',
  'my-expires=1',
  'q-signature-of=1',
  'my-q-ak=1',
  'se=1&sp=2&sv=3',
])('what else a URL says stays: %s', (query) => {
  expect(unsignedUrl(`${FILE}?${query}`)).toBe(`${FILE}?${query}`);
});

it('what else a URL of Azure says stays', () => {
  expect(unsignedUrl(`${FILE}?sig=1&mysig=2&sigs=3&sx=4`)).toBe(`${FILE}?mysig=2&sigs=3&sx=4`);
});

it.each(['data:text/plain,a?sig=1#b', 'http://[oops/?sig=1'])('%s stays as it is', (text) => {
  expect(unsignedUrl(text)).toBe(text);
});
