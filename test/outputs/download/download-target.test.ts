import { describe, expect, it } from 'vitest';
import { checkTarget, shownUrl } from '../../../src/outputs/download/download-target.ts';
import { isPublicAddress } from '../../../src/outputs/download/public-address.ts';

it.each([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['10.0.0.1', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['100.64.0.1', false],
  ['::1', false],
  ['fd00::1', false],
  ['64:ff9b::7f00:1', false],
  ['::ffff:8.8.8.8', false],
  // Unicast, and given to nobody.
  ['4000::1', false],
  ['files.example', false],
  ['', false],
])('%s is an address of the public internet: %s', (address, is) => {
  expect(isPublicAddress(address)).toBe(is);
});

describe('what a file is fetched from', () => {
  const anywhere = () => true;

  it('is shown without what is secret in it, and not at any length', () => {
    expect(shownUrl('https://me:pw@files.example:444/a.png?sig=1#top')).toBe(
      'https://files.example:444/a.png',
    );
    expect(shownUrl(new URL('https://files.example/?x'))).toBe('https://files.example/');
    expect(shownUrl(`https://files.example/${'x'.repeat(400)}`)).toHaveLength(300);
    expect(shownUrl('no URL')).toBe('');
  });

  it('may be named from where it was redirected, in 8,192 characters', () => {
    const base = new URL('https://files.example/a/b');
    expect(checkTarget('c?x=1', base, anywhere).href).toBe('https://files.example/a/c?x=1');
    const longest = `http://files.example/${'x'.repeat(8_192 - 21)}`;
    expect(checkTarget(longest, undefined, anywhere).href).toBe(longest);
    expect(() => checkTarget(`${longest}x`, undefined, anywhere)).toThrow(
      'has a URL of over 8192 characters',
    );
  });

  it.each([
    ['/c', 'the output has an unreadable URL'],
    ['ftp://files.example/', "the output's URL is ftp: and not http or https"],
    ['https://me@files.example:444/', "the output's URL at files.example:444 holds a user name or password"],
    ['https://:pw@files.example/', "the output's URL at files.example holds a user name or password"],
    [
      'http://[::1]/',
      "the output's host ::1 is not a public address; DARKROOM_PRIVATE_OUTPUTS=allow permits it",
    ],
  ])('is refused with the reason: %s', (text, message) => {
    expect(() => checkTarget(text, undefined, () => false)).toThrow(message);
  });

  it('is judged by its address alone where it has one', () => {
    const asked: string[] = [];
    const judge = (address: string) => asked.push(address) > 0;
    for (const host of ['files.example', '[::1]', '0x7f.1']) checkTarget(`http://${host}/`, undefined, judge);
    expect(asked).toEqual(['::1', '127.0.0.1']);
  });
});
