import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** Colours a text where the stream is a terminal that wants them (NO_COLOR and FORCE_COLOR are honoured). */
export function style(stream: NodeJS.WriteStream, format: Format, text: string): string {
  return styleText(format, text, { stream });
}
