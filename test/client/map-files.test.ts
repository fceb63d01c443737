import { describe, expect, it } from 'vitest';
import { filesIn, unsent, withReferences } from '../../src/client/files/map-files.ts';

describe('the files in a request', () => {
  const stored = { uri: 'file:///srv/1.png', sha256: 'ab', bytes: 1 };
  const bytes = new Uint8Array(1);
  const request = {
    input: { image_url: bytes, image_urls: [stored, 'https://a.example/2.png', bytes], n: 2 },
  };

  it('are named by what stands for them, wherever they are', () => {
    expect(withReferences(request, (file) => (file === bytes ? 'new' : 'old'))).toEqual({
      input: { image_url: 'new', image_urls: ['old', 'https://a.example/2.png', 'new'], n: 2 },
    });
    expect([...filesIn(request)]).toEqual([bytes, stored]);
    const { image_url, image_urls } = unsent(request).input as unknown as Record<string, string[]>;
    expect(image_url).toContain('0'.repeat(64));
    expect(image_urls?.[0]).toBe(stored.uri);
  });

  it('are looked for in plain objects and lists alone', () => {
    const odd = { when: new Date(0), none: null, bare: Object.assign(Object.create(null), { a: bytes }) };
    expect(withReferences(odd, () => 'file')).toEqual({ when: odd.when, none: null, bare: { a: 'file' } });
    expect(withReferences(odd, () => 'file').when).toBe(odd.when);
  });
});
