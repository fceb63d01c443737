/** When a word is spoken, in seconds from the start of the file. */
export interface WordTiming {
  word: string;
  start: number;
  end: number;
}

interface Word {
  text: string;
  /** How long it takes, against the others. */
  weight: number;
  clause: number;
}

interface Stretch {
  start: number;
  end: number;
}

/** Where a speaker pauses. */
const PAUSE = /[.,;:!?…—。、，！？；：،؟।]/u;
/** Below this a sample counts as silence (of 32767); espeak-ng's pauses are all but zero. */
const SILENCE = 220;
/** Seconds of silence that may be a pause. A stop consonant can take 0.12 s too, a comma takes 0.15 s or more. */
const SHORTEST_PAUSE = 0.07;

/**
 * Times the words of a spoken text. espeak-ng's command line tells no times, so they are estimated: the sound's
 * pauses are matched with the text's punctuation, and between them the words share the time by their letters.
 * Usually within a tenth of a second. In order, never overlapping, within the sound.
 *
 * @param language ISO 639-1: decides where words end in languages without spaces.
 */
export function wordTimings(
  text: string,
  language: string,
  samples: Int16Array,
  sampleRate: number,
): WordTiming[] {
  const words = splitWords(text, language);
  const clauses = [...Map.groupBy(words, ({ clause }) => clause).values()];
  const stretches = voicedStretches(samples, sampleRate, clauses.length);
  if (clauses.length !== stretches.length) return layOut(words, stretches);
  return clauses.flatMap((clause, place) => layOut(clause, stretches.slice(place, place + 1)));
}

function splitWords(text: string, language: string): Word[] {
  const words: Word[] = [];
  let clause = 0;
  for (const { segment, isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) {
    if (isWordLike) words.push({ text: segment, weight: weigh(segment), clause });
    else if (PAUSE.test(segment) && words.at(-1)?.clause === clause) clause += 1;
  }
  return words;
}

/** Letters, and as much again for the word's own start; a digit is a word of its own, a CJK character a syllable. */
function weigh(word: string): number {
  let weight = 2;
  for (const character of word) {
    if (/\p{Nd}/u.test(character)) weight += 4;
    else weight += /[\p{Script=Han}\p{Script=Hangul}]/u.test(character) ? 3 : 1;
  }
  return weight;
}

/** The sound between its longest pauses: as many stretches as are wanted, or fewer when it has not the pauses. */
function voicedStretches(samples: Int16Array, sampleRate: number, wanted: number): Stretch[] {
  const loud = (sample: number) => Math.abs(sample) >= SILENCE;
  const [first, last] = [samples.findIndex(loud), samples.findLastIndex(loud)];
  if (first < 0) return [];
  const pauses: Stretch[] = [];
  let voicedAt = first;
  for (let at = first; at <= last; at += 1) {
    if (!loud(samples[at] ?? 0)) continue;
    if (at - voicedAt > SHORTEST_PAUSE * sampleRate) pauses.push({ start: voicedAt + 1, end: at });
    voicedAt = at;
  }
  const longest = pauses
    .sort((a, b) => b.end - b.start - (a.end - a.start))
    .slice(0, Math.max(0, wanted - 1));
  const inOrder = longest.sort((a, b) => a.start - b.start);
  const starts = [first, ...inOrder.map(({ end }) => end)];
  const ends = [...inOrder.map(({ start }) => start), last + 1];
  return starts.map((start, place) => ({
    start: start / sampleRate,
    end: (ends[place] ?? last + 1) / sampleRate,
  }));
}

/** Shares the stretches' time among the words by weight, one after the other. */
function layOut(words: readonly Word[], stretches: readonly Stretch[]): WordTiming[] {
  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  const voiced = stretches.reduce((sum, { start, end }) => sum + end - start, 0);
  let before = 0;
  return words.map(({ text, weight }) => {
    const start = (before / total) * voiced;
    before += weight;
    return {
      word: text,
      start: round(timeAt(stretches, start, 'start')),
      end: round(timeAt(stretches, (before / total) * voiced, 'end')),
    };
  });
}

/** The time at which so many seconds were voiced; at a pause, its end for a word's start and its start for an end. */
function timeAt(stretches: readonly Stretch[], voiced: number, edge: 'start' | 'end'): number {
  let left = voiced;
  for (const { start, end } of stretches) {
    const length = end - start;
    if (edge === 'start' ? left < length - 1e-9 : left <= length + 1e-9) return start + left;
    left -= length;
  }
  return stretches.at(-1)?.end ?? 0;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
