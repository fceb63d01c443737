import { seededRandom } from '../random.ts';
import type { RenderedAsset } from '../types.ts';
import { type Manner, SPEECH_RATE, speak } from './speak.ts';
import { ESPEAK_VOICES, speechLanguage } from './speech-languages.ts';
import { wavFile } from './wav.ts';
import { type WordTiming, wordTimings } from './word-timings.ts';

export interface SpeechRequest {
  text: string;
  /** The name of a preset voice, or whatever else picks one (an embedding's URL): each sounds different. */
  voice?: string | undefined;
  /** A code (`de`) or a name (`German`); `auto` or nothing goes by the text's script. */
  language?: string | undefined;
}

export interface RenderedSpeech extends RenderedAsset {
  /** When each word is spoken (model B's timestamps): estimated, see `wordTimings`. */
  words: WordTiming[];
}

/** Speakers that espeak-ng ships as variants of any language's voice; the empty one is the language's own. */
const VARIANTS: readonly string[] = [
  '',
  '+f2',
  '+f3',
  '+f4',
  '+f5',
  '+m1',
  '+m3',
  '+m4',
  '+m7',
  '+anika',
  '+steph',
  '+adam',
];

/** About eleven minutes of speech: model A's text has no limit of its own. */
const MOST_CHARACTERS = 10_000;

/** A text without a word still gives a file that a player opens. */
const SHORTEST_SECONDS = 0.25;

/**
 * Speech that can be heard, as a WAV file (mono, 16 bits, 22.05 kHz). Its length follows the text.
 */
export async function renderSpeech({ text, voice, language }: SpeechRequest): Promise<RenderedSpeech> {
  const spoken = Array.from(text.toWellFormed().replaceAll('\0', ' ')).slice(0, MOST_CHARACTERS).join('');
  const code = speechLanguage(language, spoken);
  const samples = padded(await speak(spoken, mannerOf(voice, ESPEAK_VOICES[code] ?? code)));
  return {
    bytes: wavFile(samples, SPEECH_RATE),
    contentType: 'audio/wav',
    fileName: 'speech.wav',
    width: null,
    height: null,
    duration: samples.length / SPEECH_RATE,
    words: wordTimings(spoken, code, samples, SPEECH_RATE),
  };
}

/** The same name always speaks in the same way. */
function mannerOf(name: string | undefined, base: string): Manner {
  if (name === undefined) return { voice: base, pitch: 50, speed: 165 };
  const random = seededRandom('voice', name);
  return {
    voice: base + random.pick(VARIANTS),
    pitch: Math.round(random.between(36, 66)),
    speed: Math.round(random.between(150, 178)),
  };
}

function padded(samples: Int16Array): Int16Array {
  const shortest = Math.ceil(SHORTEST_SECONDS * SPEECH_RATE);
  if (samples.length >= shortest) return samples;
  const longer = new Int16Array(shortest);
  longer.set(samples);
  return longer;
}
