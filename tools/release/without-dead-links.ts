/** A page of Markdown in which links to files that are not there are only their texts, and such pictures are left out. */
export function withoutDeadLinks(page: string, files: ReadonlySet<string>): string {
  return page.replaceAll(
    /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g,
    (link, picture: string, text: string, target: string) => {
      const [path = ''] = target.split('#');
      const isThere = path === '' || /^[a-z]+:/.test(path) || files.has(path);
      if (isThere) return link;
      return picture === '' ? text : '';
    },
  );
}
