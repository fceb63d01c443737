import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** Colours a text where the stream is a terminal that wants them (NO_COLOR, FORCE_COLOR and TERM=dumb are honoured). */
export function style(stream: NodeJS.WriteStream, format: Format, text: string): string {
  if (process.env['TERM'] === 'dumb') return text;
  return styleText(format, text, { stream });
}
