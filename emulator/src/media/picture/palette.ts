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

/** Words of a prompt and the colours they call for; the first row that matches wins. */
const ROWS: readonly (Palette & { words: RegExp })[] = [
  {
    words: /\b(night|midnight|moon\w*|stars?|starry|galaxy|space|aurora)\b/i,
    skyTop: [228, 60, 7],
    skyMiddle: [222, 52, 20],
    horizon: [210, 45, 38],
    light: [220, 90, 96],
    far: [220, 40, 28],
    near: [228, 55, 6],
    accent: [165, 70, 60],
    night: true,
  },
  {
    words: /\b(neon|cyber\w*|city|street|skyline|tokyo|metropolis|robots?)\b/i,
    skyTop: [258, 80, 10],
    skyMiddle: [280, 65, 32],
    horizon: [328, 100, 66],
    light: [335, 100, 90],
    far: [276, 60, 30],
    near: [256, 75, 7],
    accent: [184, 90, 58],
    night: true,
  },
  {
    words: /\b(dawn|sunrise|morning)\b/i,
    skyTop: [230, 48, 26],
    skyMiddle: [338, 46, 58],
    horizon: [33, 100, 78],
    light: [45, 100, 92],
    far: [318, 24, 50],
    near: [244, 38, 14],
    accent: [42, 100, 68],
    night: false,
  },
  {
    words: /\b(sunset|dusk|evening|fire|volcano|dragon)\b/i,
    skyTop: [262, 50, 20],
    skyMiddle: [352, 68, 56],
    horizon: [32, 100, 68],
    light: [44, 100, 88],
    far: [338, 38, 42],
    near: [268, 45, 11],
    accent: [20, 95, 60],
    night: false,
  },
  {
    words: /\b(snow\w*|winter|ice|icy|frozen|glacier|arctic)\b/i,
    skyTop: [212, 42, 58],
    skyMiddle: [209, 46, 80],
    horizon: [205, 45, 95],
    light: [48, 80, 96],
    far: [210, 32, 76],
    near: [212, 34, 34],
    accent: [4, 70, 58],
    night: false,
  },
  {
    words: /\b(desert|sand|dunes?|sahara|egypt|mars)\b/i,
    skyTop: [205, 50, 52],
    skyMiddle: [34, 80, 74],
    horizon: [42, 92, 88],
    light: [48, 100, 94],
    far: [26, 62, 62],
    near: [12, 52, 28],
    accent: [188, 60, 45],
    night: false,
  },
  {
    words: /\b(autumn|fall|harvest|halloween|pumpkins?)\b/i,
    skyTop: [318, 24, 38],
    skyMiddle: [26, 68, 62],
    horizon: [43, 92, 84],
    light: [46, 100, 93],
    far: [24, 55, 54],
    near: [2, 46, 18],
    accent: [14, 85, 55],
    night: false,
  },
  {
    words: /\b(spring|blossoms?|flowers?|cherry|garden|roses?)\b/i,
    skyTop: [210, 55, 70],
    skyMiddle: [334, 60, 86],
    horizon: [30, 100, 94],
    light: [52, 100, 95],
    far: [322, 42, 72],
    near: [286, 30, 30],
    accent: [338, 80, 66],
    night: false,
  },
  {
    words: /\b(storms?|rain\w*|fog\w*|mist\w*|thunder|gr[ae]y)\b/i,
    skyTop: [208, 24, 18],
    skyMiddle: [204, 18, 40],
    horizon: [198, 16, 68],
    light: [195, 30, 90],
    far: [203, 15, 44],
    near: [210, 28, 11],
    accent: [50, 90, 66],
    night: false,
  },
  {
    words: /\b(forests?|woods?|jungle|trees?|green|mountains?|valley|foxe?s?|wolf|bears?|deer)\b/i,
    skyTop: [188, 38, 40],
    skyMiddle: [150, 36, 72],
    horizon: [66, 62, 90],
    light: [54, 100, 94],
    far: [150, 24, 56],
    near: [162, 50, 12],
    accent: [18, 85, 56],
    night: false,
  },
  {
    words: /\b(sea|ocean|waves?|beach|island|harbou?r|lighthouse|boats?|ships?|lake|river|water)\b/i,
    skyTop: [204, 80, 32],
    skyMiddle: [188, 52, 60],
    horizon: [165, 55, 90],
    light: [50, 100, 95],
    far: [198, 36, 54],
    near: [208, 60, 16],
    accent: [16, 90, 60],
    night: false,
  },
  {
    words: /$^/, // by chance only: a clear day
    skyTop: [211, 68, 46],
    skyMiddle: [203, 78, 72],
    horizon: [200, 85, 93],
    light: [50, 100, 94],
    far: [203, 36, 66],
    near: [178, 44, 17],
    accent: [350, 80, 62],
    night: false,
  },
];

/** The colours that the prompt's words call for, or any; turned a little, so that two seeds differ. */
export function choosePalette(prompt: string, random: Random): Palette {
  const byChance = random.pick(ROWS);
  const row = ROWS.find(({ words }) => words.test(prompt)) ?? byChance;
  const turn = random.between(-14, 14);
  const turned = ([hue, saturation, lightness]: Hsl): Hsl => [
    (hue + turn + 360) % 360,
    saturation,
    lightness,
  ];
  return {
    skyTop: turned(row.skyTop),
    skyMiddle: turned(row.skyMiddle),
    horizon: turned(row.horizon),
    light: row.light,
    far: turned(row.far),
    near: turned(row.near),
    accent: turned(row.accent),
    night: row.night,
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
