import { isLive } from '../../terminal/is-live.ts';

const PLAIN_INTERVAL = 15_000;

/** Says what a slow step is doing. */
export interface ProgressLine {
  /** The whole line, as it is now; call it as often as you like. */
  update(text: string): void;
  /** The step is over: the next `update` begins anew. */
  end(): void;
}

/** The part of a terminal's or file's stream that is needed here. */
export interface TextStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** On a terminal one line that is rewritten and finally removed; elsewhere a line every 15 seconds. */
export function progressLine(
  stream: TextStream = process.stderr,
  now: () => number = Date.now,
): ProgressLine {
  return isLive(stream) ? liveLine(stream) : plainLines(stream, now);
}

function liveLine(stream: TextStream): ProgressLine {
  const erase = '\r\u001B[2K';
  return {
    update: (text) => stream.write(erase + text.slice(0, (stream.columns || 80) - 1)),
    end: () => stream.write(erase),
  };
}

function plainLines(stream: TextStream, now: () => number): ProgressLine {
  let next = 0;
  return {
    update(text) {
      if (now() < next) return;
      next = now() + PLAIN_INTERVAL;
      stream.write(`${text}\n`);
    },
    end() {
      next = 0;
    },
  };
}
