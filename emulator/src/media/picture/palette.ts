import type { Random } from '../random.ts';

/** Hue in degrees, saturation and lightness in percent. */
export type Hsl = readonly [hue: number, saturation: number, lightness: number];

/** The colours of one picture: sky from top to horizon, sun or moon, layers from far to near, one accent. */
export interface Palette {
  skyTop: Hsl;
  skyMiddle: Hsl;
  horizon: Hsl;
  light: Hsl;
  far: Hsl;
  near: Hsl;
  accent: Hsl;
  night: boolean;
}

/**
 * Words of a prompt and the colours they call for; the first row that matches wins. The colours are hue, saturation
 * and lightness of sky's top, sky's middle, horizon, light, far, near, accent.
 */
const ROWS: readonly { words: RegExp; colours: string; night?: true }[] = [
  {
    words: /\b(night|midnight|moon\w*|stars?|starry|galaxy|space|aurora)\b/i,
    colours: '228 60 7 / 222 52 20 / 210 45 38 / 220 90 96 / 220 40 28 / 228 55 6 / 165 70 60',
    night: true,
  },
  {
    words: /\b(neon|cyber\w*|city|street|skyline|tokyo|metropolis|robots?)\b/i,
    colours: '258 80 10 / 280 65 32 / 328 100 66 / 335 100 90 / 276 60 30 / 256 75 7 / 184 90 58',
    night: true,
  },
  {
    words: /\b(dawn|sunrise|morning)\b/i,
    colours: '230 48 26 / 338 46 58 / 33 100 78 / 45 100 92 / 318 24 50 / 244 38 14 / 42 100 68',
  },
  {
    words: /\b(sunset|dusk|evening|fire|volcano|dragon)\b/i,
    colours: '262 50 20 / 352 68 56 / 32 100 68 / 44 100 88 / 338 38 42 / 268 45 11 / 20 95 60',
  },
  {
    words: /\b(snow\w*|winter|ice|icy|frozen|glacier|arctic)\b/i,
    colours: '212 42 58 / 209 46 80 / 205 45 95 / 48 80 96 / 210 32 76 / 212 34 34 / 4 70 58',
  },
  {
    words: /\b(desert|sand|dunes?|sahara|egypt|mars)\b/i,
    colours: '205 50 52 / 34 80 74 / 42 92 88 / 48 100 94 / 26 62 62 / 12 52 28 / 188 60 45',
  },
  {
    words: /\b(autumn|fall|harvest|halloween|pumpkins?)\b/i,
    colours: '318 24 38 / 26 68 62 / 43 92 84 / 46 100 93 / 24 55 54 / 2 46 18 / 14 85 55',
  },
  {
    words: /\b(spring|blossoms?|flowers?|cherry|garden|roses?)\b/i,
    colours: '210 55 70 / 334 60 86 / 30 100 94 / 52 100 95 / 322 42 72 / 286 30 30 / 338 80 66',
  },
  {
    words: /\b(storms?|rain\w*|fog\w*|mist\w*|thunder|gr[ae]y)\b/i,
    colours: '208 24 18 / 204 18 40 / 198 16 68 / 195 30 90 / 203 15 44 / 210 28 11 / 50 90 66',
  },
  {
    words: /\b(forests?|woods?|jungle|trees?|green|mountains?|valley|foxe?s?|wolf|bears?|deer)\b/i,
    colours: '188 38 40 / 150 36 72 / 66 62 90 / 54 100 94 / 150 24 56 / 162 50 12 / 18 85 56',
  },
  {
    words: /\b(sea|ocean|waves?|beach|island|harbou?r|lighthouse|boats?|ships?|lake|river|water)\b/i,
    colours: '204 80 32 / 188 52 60 / 165 55 90 / 50 100 95 / 198 36 54 / 208 60 16 / 16 90 60',
  },
  {
    words: /$^/, // by chance only: a clear day
    colours: '211 68 46 / 203 78 72 / 200 85 93 / 50 100 94 / 203 36 66 / 178 44 17 / 350 80 62',
  },
];

/** The colours that the prompt's words call for, or any; turned a little, so that two seeds differ. */
export function choosePalette(prompt: string, random: Random): Palette {
  const byChance = random.pick(ROWS);
  const row = ROWS.find(({ words }) => words.test(prompt)) ?? byChance;
  const turn = random.between(-14, 14);
  const [skyTop, skyMiddle, horizon, light, far, near, accent] = row.colours.split(' / ').map((colour) => {
    const [hue = 0, saturation = 0, lightness = 0] = colour.split(' ').map(Number);
    return [hue, saturation, lightness] as const;
  });
  const turned = ([hue, saturation, lightness]: Hsl = [0, 0, 50]): Hsl => [
    (hue + turn + 360) % 360,
    saturation,
    lightness,
  ];
  return {
    skyTop: turned(skyTop),
    skyMiddle: turned(skyMiddle),
    horizon: turned(horizon),
    light: light ?? [0, 0, 100],
    far: turned(far),
    near: turned(near),
    accent: turned(accent),
    night: row.night ?? false,
  };
}

/** A colour between two, the short way round the hues; `share` 0 is `from`, 1 is `to`. */
export function mix(from: Hsl, to: Hsl, share: number): Hsl {
  const turn = ((to[0] - from[0] + 540) % 360) - 180;
  return [
    (from[0] + turn * share + 360) % 360,
    from[1] + (to[1] - from[1]) * share,
    from[2] + (to[2] - from[2]) * share,
  ];
}

/** As SVG writes it. */
export function css([hue, saturation, lightness]: Hsl): string {
  return `hsl(${hue.toFixed(1)},${saturation.toFixed(1)}%,${lightness.toFixed(1)}%)`;
}
