/** Of one task: the specification's models make five files at most. */
const MOST_ARTIFACTS = 8;
/** Characters of a URL. */
const LONGEST_ARTIFACT = 2_048;
const FETCHABLE = /^https?:\/\/[\x21-\x7e]+$/;

/**
 * The URLs of all files of a task, as an event tells of them.
 *
 * @returns undefined where these are not URLs, too many or too long: a part of them would be stored as if it were all
 */
export function readArtifacts(urls: unknown): string[] | undefined {
  if (!Array.isArray(urls) || urls.length === 0 || urls.length > MOST_ARTIFACTS) return undefined;
  return urls.every(isArtifact) ? urls : undefined;
}

function isArtifact(url: unknown): url is string {
  return typeof url === 'string' && url.length <= LONGEST_ARTIFACT && FETCHABLE.test(url);
}
