import { type Random, seededRandom } from '../random.ts';
import type { Size } from '../types.ts';
import { choosePalette, css, mix, type Palette } from './palette.ts';
import {
  birds,
  type Canvas,
  clouds,
  heavenlyBody,
  lighthouse,
  n,
  pine,
  profile,
  ridge,
  sky,
  stars,
} from './scene-shapes.ts';

interface Place {
  canvas: Canvas;
  palette: Palette;
  random: Random;
  /** Where the sun or moon stands, in canvas units. */
  light: { x: number; y: number };
  prompt: string;
}

/** A kind of landscape: the words that call for it, and how the ground is drawn. */
interface Motif {
  words: RegExp;
  ground(place: Place): string;
}

const MOTIFS: readonly Motif[] = [
  { words: /\b(abstract|music|dream\w*|aurora|silk|pattern|galaxy|space)\b/i, ground: ribbons },
  {
    words: /\b(sea|ocean|waves?|beach|island|harbou?r|lighthouse|boats?|ships?|lake|river|water)\b/i,
    ground: sea,
  },
  { words: /\b(city|street|skyline|tokyo|neon|cyber\w*|robots?|towers?|metropolis)\b/i, ground: city },
  { words: /\b(forests?|woods?|trees?|jungle|snow\w*|foxe?s?|wolf|bears?|deer|cabin)\b/i, ground: forest },
  { words: /\b(desert|sand|dunes?|sahara|mars)\b/i, ground: dunes },
  { words: /\b(mountains?|hills?|valley|alps|peaks?|volcano|castle)\b/i, ground: hills },
];

/**
 * A landscape as an SVG document of the given pixel size. Its colours and motif follow the prompt's words where
 * they call for any; everything else follows the prompt, the seed and the index by chance that repeats.
 */
export function sceneSvg(prompt: string, seed: number, index: number, size: Size): string {
  const random = seededRandom('scene', prompt, seed, index);
  const unit = Math.min(size.width, size.height) / 1000;
  const canvas = { width: Math.round(size.width / unit), height: Math.round(size.height / unit) };
  const palette = choosePalette(prompt, random);
  const byChance = random.pick(MOTIFS);
  const motif = MOTIFS.find(({ words }) => words.test(prompt)) ?? byChance;
  const light = {
    x: random.between(0.16, 0.62) * canvas.width,
    y: random.between(0.2, 0.38) * canvas.height,
  };
  const place = { canvas, palette, random, light, prompt };
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" ` +
    `viewBox="0 0 ${canvas.width} ${canvas.height}" preserveAspectRatio="none">` +
    sky(canvas, palette) +
    (palette.night ? stars(canvas, random) : '') +
    heavenlyBody(palette, light.x, light.y, random.between(42, 74)) +
    clouds(canvas, palette, random) +
    motif.ground(place) +
    '</svg>'
  );
}

function hills({ canvas, palette, random, light }: Place): string {
  const layers = Array.from({ length: 6 }, (_, layer) => {
    const depth = layer / 5;
    const base = canvas.height * (0.52 + 0.42 * depth);
    return ridge(
      canvas,
      profile(random, layer < 4 ? 6 : 3),
      base,
      150 - 70 * depth,
      mix(palette.far, palette.near, depth),
    );
  });
  return layers.join('') + (palette.night ? '' : birds(light.x + 260, light.y + 40, palette.near, random));
}

function forest({ canvas, palette, random }: Place): string {
  return Array.from({ length: 5 }, (_, layer) => {
    const depth = layer / 4;
    const [base, rise] = [canvas.height * (0.5 + 0.38 * depth), 110 - 50 * depth];
    const shape = profile(random, layer < 2 ? 6 : 3);
    const colour = mix(palette.far, palette.near, depth);
    const count = layer === 0 ? 0 : Math.round((canvas.width / 1000) * (46 - 7 * layer));
    const trees = Array.from({ length: count }, () => {
      const share = random.next();
      const height = (38 + 44 * layer) * random.between(0.65, 1.35);
      return pine(share * canvas.width, base - rise * shape(share) + 6, height, colour);
    });
    return trees.join('') + ridge(canvas, shape, base, rise, colour);
  }).join('');
}

function sea({ canvas, palette, random, light, prompt }: Place): string {
  const horizon = canvas.height * 0.56;
  const far = ridge(canvas, profile(random, 5), horizon, 46, mix(palette.far, palette.horizon, 0.45));
  const water =
    `<defs><linearGradient id="sea" x2="0" y2="1"><stop stop-color="${css(mix(palette.horizon, palette.far, 0.45))}"/>` +
    `<stop offset="1" stop-color="${css(palette.near)}"/></linearGradient></defs>` +
    `<rect y="${n(horizon)}" width="${canvas.width}" height="${n(canvas.height - horizon)}" fill="url(#sea)"/>`;
  const glints = Array.from({ length: 90 }, () => {
    const depth = random.next() ** 1.4;
    const y = horizon + 4 + depth * (canvas.height - horizon);
    const nearSun = random.next() < 0.62;
    const x = nearSun ? light.x + random.between(-1, 1) * (50 + 150 * depth) : random.next() * canvas.width;
    const length = random.between(14, 60) * (0.5 + depth);
    const shine = nearSun ? 0.55 : 0.16;
    return `<path d="M${n(x - length)} ${n(y)}H${n(x + length)}" stroke-opacity="${shine}"/>`;
  }).join('');
  const x = canvas.width * random.between(0.74, 0.84);
  const headland = (share: number) =>
    Math.tanh((share - (x - 190) / canvas.width) * 11) + 0.07 * cliff(share);
  const cliff = profile(random, 5, 4);
  const top = canvas.height * 0.6;
  return (
    far +
    water +
    `<g stroke="${css(palette.light)}" stroke-width="3.4" stroke-linecap="round">${glints}</g>` +
    (/lighthouse|harbou?r|coast/i.test(prompt) ? lighthouse(x, top + 8, 330, palette) : '') +
    ridge(canvas, headland, top + 130, 132, palette.near) +
    birds(x - 320, canvas.height * 0.3, palette.near, random)
  );
}

function dunes({ canvas, palette, random }: Place): string {
  return Array.from({ length: 6 }, (_, layer) => {
    const depth = layer / 5;
    const base = canvas.height * (0.54 + 0.42 * depth);
    const shape = profile(random, 2, 0.8);
    const colour = mix(palette.far, palette.near, depth * 0.9);
    const lit = mix(colour, palette.light, 0.25);
    const rise = 95 - 20 * depth;
    return (
      ridge(canvas, shape, base, rise, lit) + ridge(canvas, shape, base + 9 + 8 * depth, rise * 1.04, colour)
    );
  }).join('');
}

function city({ canvas, palette, random }: Place): string {
  const layers = Array.from({ length: 4 }, (_, layer) => {
    const depth = layer / 3;
    const colour = mix(palette.far, palette.near, depth);
    let towers = '';
    let windows = '';
    for (let x = -40; x < canvas.width; ) {
      const width = random.between(46, 118);
      const height = random.between(0.16, 0.5) * canvas.height * (1 - 0.22 * depth);
      const top = canvas.height * (0.74 + 0.1 * depth) - height;
      towers += `<rect x="${n(x)}" y="${n(top)}" width="${n(width + 1)}" height="${canvas.height}"/>`;
      for (let row = 0; row < (layer === 0 ? 0 : 16); row += 1) {
        for (let column = 0; column < width / 20 - 1; column += 1) {
          if (random.next() > 0.34) continue;
          windows += `M${n(x + 10 + column * 20)} ${n(top + 16 + row * 24)}h9v13h-9z`;
        }
      }
      x += width + random.between(-6, 16);
    }
    const glow = css(random.next() < 0.5 ? palette.light : palette.accent);
    return (
      `<g fill="${css(colour)}">${towers}</g>` +
      `<path d="${windows}" fill="${glow}" fill-opacity="${(0.28 + 0.5 * depth).toFixed(2)}"/>`
    );
  });
  return layers.join('');
}

function ribbons({ canvas, palette, random }: Place): string {
  return Array.from({ length: 9 }, (_, layer) => {
    const depth = layer / 8;
    const shape = profile(random, 2, 0.7);
    const colour = mix(layer % 3 === 1 ? palette.accent : palette.far, palette.near, depth * 0.85);
    const body = ridge(canvas, shape, canvas.height * (0.36 + 0.62 * depth), 150, colour);
    return `<g opacity="${(0.55 + 0.4 * depth).toFixed(2)}">${body}</g>`;
  }).join('');
}
