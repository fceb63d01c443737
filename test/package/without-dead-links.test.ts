import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withoutDeadLinks } from '../../tools/release/without-dead-links.ts';

it("a package's page has no link to what is only in the repository", () => {
  const page = [
    'See [how](docs/a.md#part), [what](CHANGELOG.md), [where](https://example.com/x) and [below](#use-it).',
    '![a picture](docs/images/a.png)',
  ].join('\n');
  expect(withoutDeadLinks(page, new Set(['CHANGELOG.md']))).toBe(
    'See how, [what](CHANGELOG.md), [where](https://example.com/x) and [below](#use-it).\n',
  );
  const ours = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(ours).toMatch(/\]\(docs\//);
  expect(withoutDeadLinks(ours, new Set())).not.toMatch(/\]\((?!https?:|#)/);
});
