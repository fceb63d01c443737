import leven from 'leven';

/** Longer words are not typing errors of ours, and comparing them costs time. */
const LONGEST = 60;

/**
 * The candidate that a mistyped word most likely meant, or undefined. Case and separators do not count
 * (`aspectRatio` finds `aspect_ratio`); a third of the letters may be wrong; else a common beginning of three
 * letters or more will do (`upscale` finds `upscale-q`).
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const plain = bare(word);
  if (plain === '' || word.length > LONGEST) return undefined;
  const names = candidates.map((candidate) => ({ candidate, name: bare(candidate) }));
  const [nearest] = distances(word, candidates);
  if (nearest !== undefined && nearest.distance <= Math.max(1, plain.length / 3)) return nearest.candidate;
  const prefixed = names.find(
    ({ name }) =>
      Math.min(name.length, plain.length) > 2 && (name.startsWith(plain) || plain.startsWith(name)),
  );
  return prefixed?.candidate;
}

/** The candidates, the ones that are most like the word first; in their own order where it is too long to compare. */
export function byDistance(word: string, candidates: readonly string[]): string[] {
  return distances(word, candidates).map(({ candidate }) => candidate);
}

function distances(word: string, candidates: readonly string[]): { candidate: string; distance: number }[] {
  const plain = word.length > LONGEST ? '' : bare(word);
  return candidates
    .map((candidate) => ({ candidate, distance: plain === '' ? 0 : leven(plain, bare(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
}

function bare(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]/g, '');
}
