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
/** Seconds of silence that are a pause and not part of a word. */
const SHORTEST_PAUSE = 0.1;

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
  const stretches = voicedStretches(samples, sampleRate);
  const clauses = [...Map.groupBy(words, ({ clause }) => clause).values()];
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

/** The sound without its pauses. */
function voicedStretches(samples: Int16Array, sampleRate: number): Stretch[] {
  const stretches: Stretch[] = [];
  const gap = SHORTEST_PAUSE * sampleRate;
  let first = -1;
  let last = -1;
  for (let at = 0; at < samples.length; at += 1) {
    if (Math.abs(samples[at] ?? 0) < SILENCE) continue;
    if (first >= 0 && at - last > gap) {
      stretches.push({ start: first / sampleRate, end: (last + 1) / sampleRate });
      first = at;
    }
    if (first < 0) first = at;
    last = at;
  }
  if (first >= 0) stretches.push({ start: first / sampleRate, end: (last + 1) / sampleRate });
  return stretches;
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
