/**
 * The languages of models A and B (API specification) as espeak-ng's voices. It has none for Tagalog; Indonesian
 * is the nearest that it can read.
 */
export const ESPEAK_VOICES = {
  en: 'en-us',
  zh: 'cmn',
  es: 'es',
  fr: 'fr-fr',
  de: 'de',
  it: 'it',
  pt: 'pt-br',
  ru: 'ru',
  ja: 'ja',
  ko: 'ko',
  ar: 'ar',
  hi: 'hi',
  tr: 'tr',
  nl: 'nl',
  uk: 'uk',
  vi: 'vi',
  id: 'id',
  th: 'th',
  pl: 'pl',
  ro: 'ro',
  el: 'el',
  cs: 'cs',
  fi: 'fi',
  bg: 'bg',
  da: 'da',
  he: 'he',
  ms: 'ms',
  fa: 'fa',
  sk: 'sk',
  sv: 'sv',
  hr: 'hr',
  hu: 'hu',
  no: 'nb',
  sl: 'sl',
  ca: 'ca',
  af: 'af',
  tl: 'id',
  ta: 'ta',
} as const;

/** ISO 639-1, as model B writes it. */
export type SpeechLanguage = keyof typeof ESPEAK_VOICES;

/** Model A writes names. */
const NAMES: Readonly<Record<string, SpeechLanguage>> = {
  english: 'en',
  chinese: 'zh',
  spanish: 'es',
  french: 'fr',
  german: 'de',
  italian: 'it',
  japanese: 'ja',
  korean: 'ko',
  portuguese: 'pt',
  russian: 'ru',
};

/** Scripts that tell a language; the first that occurs wins. Kana before Han: Japanese is written in both. */
const SCRIPTS: readonly (readonly [RegExp, SpeechLanguage])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Tamil}/u, 'ta'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Greek}/u, 'el'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
];

/**
 * The language to speak. `requested` is a code (`de`) or a name (`German`), in any case; `auto`, nothing or one
 * that is neither leaves it to the text's script, and English where that tells nothing.
 */
export function speechLanguage(requested: string | undefined, text: string): SpeechLanguage {
  const key = requested?.toLowerCase() ?? 'auto';
  if (isSpeechLanguage(key)) return key;
  return NAMES[key] ?? SCRIPTS.find(([script]) => script.test(text))?.[1] ?? 'en';
}

function isSpeechLanguage(code: string): code is SpeechLanguage {
  return Object.hasOwn(ESPEAK_VOICES, code);
}
