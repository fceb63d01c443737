import { describe, expect, it } from 'vitest';
import { hanging, wrapped } from '../../src/terminal/wrap.ts';

describe('a line that is too long for the terminal', () => {
  it('goes on below its own beginning, between two words', () => {
    expect(wrapped('  a red fox in snow, looking back\nend', 24)).toBe(
      '  a red fox in snow,\n  looking back\nend',
    );
  });

  it('is measured in columns: a letter may take two', () => {
    expect(wrapped('狐狐狐狐狐 狐狐狐狐狐 fox', 21)).toBe('狐狐狐狐狐 狐狐狐狐狐\nfox');
  });

  it('keeps ids, paths and commands whole', () => {
    const id = `generation/${'k'.repeat(40)}`;
    expect(wrapped(`see ${id} now`, 30)).toBe(`see\n${id}\nnow`);
    const command = `  npm run starter -- decide ${id} resubmit`;
    expect(wrapped(command, 30)).toBe(command);
  });

  it('is left alone where there is no terminal', () => {
    const text = 'word '.repeat(100);
    expect(wrapped(text, undefined)).toBe(text);
    expect(hanging('+1.2 s  ', text, undefined)).toBe(`+1.2 s  ${text}`);
  });
});

it('a text behind a head goes on below itself', () => {
  expect(hanging('  +1.2 s  ', 'task 904db174 accepted by the API', 32)).toBe(
    '  +1.2 s  task 904db174 accepted\n          by the API',
  );
});
