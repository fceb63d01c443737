import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = globSync('**/*.md', {
  cwd: ROOT,
  exclude: (name) => /^(node_modules|[.].+|outputs|reference)$/.test(name),
});

/** A page without its blocks of code, in which a `#` begins a comment. */
function text(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```.*?^```/gms, '');
}

/** What a link may name after `#`: the headings, by GitHub's rule. */
function anchors(page: string): Set<string> {
  const headings = [...text(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

it.each(PAGES)('%s links to files and headings that exist', (page) => {
  const targets = [...text(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) =>
    /^[a-z]+:/.test(target) ? [] : target,
  );
  const broken = targets.filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && file.endsWith('.md') && !anchors(file).has(anchor);
  });
  expect(broken).toEqual([]);
});
