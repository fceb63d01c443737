import type { Random } from '../random.ts';
import type { Size } from '../types.ts';
import { css, type Hsl, type Palette } from './palette.ts';

/**
 * SVG fragments that the scenes are put together from. A scene is drawn on a canvas whose shorter side is 1000
 * units, whatever its size in pixels, so that 1K and 4K show the same picture.
 */
export type Canvas = Size;

export function sky(canvas: Canvas, palette: Palette): string {
  return (
    `<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${css(palette.skyTop)}"/>` +
    `<stop offset=".42" stop-color="${css(palette.skyMiddle)}"/>` +
    `<stop offset=".72" stop-color="${css(palette.horizon)}"/></linearGradient></defs>` +
    `<rect width="${canvas.width}" height="${canvas.height}" fill="url(#sky)"/>`
  );
}

/** A sun or a moon with its glow. */
export function heavenlyBody(palette: Palette, x: number, y: number, radius: number): string {
  const colour = css(palette.light);
  return (
    `<defs><radialGradient id="glow"><stop stop-color="${colour}" stop-opacity=".75"/>` +
    `<stop offset=".3" stop-color="${colour}" stop-opacity=".28"/>` +
    `<stop offset="1" stop-color="${colour}" stop-opacity="0"/></radialGradient></defs>` +
    `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius * 5)}" fill="url(#glow)"/>` +
    `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${colour}"/>`
  );
}

export function stars(canvas: Canvas, random: Random): string {
  const dots = Array.from({ length: 110 }, () => {
    const [x, y] = [random.between(0, canvas.width), random.between(0, canvas.height * 0.6)];
    const [radius, shine] = [random.between(0.7, 2.6), random.between(0.35, 1)];
    return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill-opacity="${shine.toFixed(2)}"/>`;
  });
  return `<g fill="#fff">${dots.join('')}</g>`;
}

/** Long flat clouds, heaped from round bars. */
export function clouds(canvas: Canvas, palette: Palette, random: Random): string {
  const bars = Array.from({ length: 5 }, () => {
    const [x, y] = [random.between(-0.1, 0.9) * canvas.width, random.between(0.08, 0.4) * canvas.height];
    return Array.from({ length: 4 }, (_, row) => {
      const width = random.between(120, 380) * (1 - row * 0.15);
      const left = x + random.between(-90, 90);
      return `<rect x="${n(left)}" y="${n(y + row * 17)}" width="${n(width)}" height="20" rx="10"/>`;
    }).join('');
  });
  return `<g fill="${css(palette.horizon)}" fill-opacity=".22">${bars.join('')}</g>`;
}

export function birds(x: number, y: number, colour: Hsl, random: Random): string {
  const paths = Array.from({ length: 5 }, () => {
    const [left, top, span] = [
      x + random.between(-130, 130),
      y + random.between(-50, 50),
      random.between(9, 17),
    ];
    return (
      `<path d="M${n(left - span)} ${n(top - span / 3)}Q${n(left - span / 2)} ${n(top - span * 0.7)} ${n(left)} ` +
      `${n(top)}Q${n(left + span / 2)} ${n(top - span * 0.7)} ${n(left + span)} ${n(top - span / 3)}"/>`
    );
  });
  return `<g fill="none" stroke="${css(colour)}" stroke-width="3.2" stroke-linecap="round">${paths.join('')}</g>`;
}

/** The height of a ridge above its base, from -1 to 1, at a share of the picture's width. */
export type Profile = (share: number) => number;

/** A sum of sines: smooth with few octaves, rugged with many. */
export function profile(random: Random, octaves: number, first = 1.3): Profile {
  const waves = Array.from({ length: octaves }, (_, octave) => ({
    frequency: first * 1.9 ** octave * random.between(0.8, 1.25),
    phase: random.between(0, Math.PI * 2),
    height: 0.58 ** octave,
  }));
  const total = waves.reduce((sum, { height }) => sum + height, 0);
  return (share) =>
    waves.reduce(
      (sum, wave) => sum + wave.height * Math.sin(share * wave.frequency * Math.PI * 2 + wave.phase),
      0,
    ) / total;
}

/** Everything below a profile, in one colour. */
export function ridge(canvas: Canvas, shape: Profile, base: number, rise: number, colour: Hsl): string {
  const steps = Math.ceil(canvas.width / 8);
  const points = Array.from({ length: steps + 1 }, (_, step) => {
    const share = step / steps;
    return `${n(share * canvas.width)} ${n(base - rise * shape(share))}`;
  });
  return `<path fill="${css(colour)}" d="M0 ${canvas.height}L${points.join('L')}L${canvas.width} ${canvas.height}Z"/>`;
}

/** A conifer standing on (x, y). */
export function pine(x: number, y: number, height: number, colour: Hsl): string {
  const tiers = [
    [1, 0.62, 0.13],
    [0.78, 0.34, 0.19],
    [0.54, 0.06, 0.24],
  ] as const;
  const paths = tiers.map(([top, bottom, half]) => {
    const [upper, lower, side] = [y - height * top, y - height * bottom, height * half];
    return `M${n(x)} ${n(upper)}L${n(x + side)} ${n(lower)}L${n(x - side)} ${n(lower)}Z`;
  });
  const trunk = `M${n(x - 2)} ${n(y + 8)}V${n(y - height * 0.2)}H${n(x + 2)}V${n(y + 8)}Z`;
  return `<path fill="${css(colour)}" d="${paths.join('')}${trunk}"/>`;
}

/** A lighthouse standing on (x, y), its beam to the left. */
export function lighthouse(x: number, y: number, height: number, palette: Palette): string {
  const at = (dx: number, dy: number) => `${n(x + dx * height)} ${n(y - dy * height)}`;
  const band = (low: number, high: number) => {
    const half = (level: number) => 0.115 - 0.055 * level;
    return `M${at(-half(low), low)}L${at(-half(high), high)}L${at(half(high), high)}L${at(half(low), low)}Z`;
  };
  return (
    `<defs><linearGradient id="beam" x1="1" x2="0"><stop stop-color="${css(palette.light)}" stop-opacity=".8"/>` +
    `<stop offset="1" stop-color="${css(palette.light)}" stop-opacity="0"/></linearGradient></defs>` +
    `<path fill="url(#beam)" d="M${at(0, 0.885)}L${at(-2.6, 1.2)}L${at(-2.6, 0.72)}Z"/>` +
    `<path fill="#f6f1e7" d="${band(-0.08, 0.8)}"/>` +
    `<path fill="#c8403a" d="${band(0.1, 0.28)}${band(0.46, 0.64)}"/>` +
    `<path fill="#000" fill-opacity=".16" d="M${at(0.03, -0.08)}L${at(0.02, 0.8)}L${at(0.07, 0.8)}L${at(0.12, -0.08)}Z"/>` +
    `<path fill="#2a2f3a" d="M${at(-0.1, 0.8)}H${n(x + height * 0.1)}V${n(y - height * 0.83)}H${n(x - height * 0.1)}Z` +
    `M${at(-0.075, 0.93)}L${at(0, 1.03)}L${at(0.075, 0.93)}Z"/>` +
    `<path fill="${css(palette.light)}" d="M${at(-0.05, 0.83)}H${n(x + height * 0.05)}V${n(y - height * 0.93)}H${n(x - height * 0.05)}Z"/>`
  );
}

/** A number as SVG needs it: a tenth of a unit is finer than a pixel at 4K. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
