/** The languages of models A and B (API specification): ISO 639-1, as model B writes them. */
const CODES =
  'en zh es fr de it pt ru ja ko ar hi tr nl uk vi id th pl ro el cs fi bg da he ms fa sk sv hr hu no sl ca af tl ta'.split(
    ' ',
  );

/**
 * espeak-ng's voices that are not called like their language. It has none for Tagalog; Indonesian is the nearest that
 * it can read.
 */
const VOICES = { en: 'en-us', zh: 'cmn', fr: 'fr-fr', pt: 'pt-br', no: 'nb', tl: 'id' };

/** The voice of each language. */
export const ESPEAK_VOICES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(CODES.map((code) => [code, code])),
  ...VOICES,
};

/** Model A writes names: English ones. */
const NAMES = new Intl.DisplayNames('en', { type: 'language' });
const BY_NAME = new Map(CODES.map((code) => [NAMES.of(code)?.toLowerCase(), code]));

/** Scripts that tell a language; the first that occurs wins. Kana before Han: Japanese is written in both. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
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
export function speechLanguage(requested: string | undefined, text: string): string {
  const key = requested?.toLowerCase() ?? 'auto';
  if (Object.hasOwn(ESPEAK_VOICES, key)) return key;
  return BY_NAME.get(key) ?? SCRIPTS.find(([script]) => script.test(text))?.[1] ?? 'en';
}
