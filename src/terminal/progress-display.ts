import { createLogUpdate } from 'log-update';
import stringWidth from 'string-width';
import { isLive } from './is-live.ts';
import { oneLine, printable } from './printable.ts';
import type { StepLine, StepState } from './step-line.ts';
import { style } from './style.ts';
import { formatElapsed } from './units.ts';
import { wrapped } from './wrap.ts';

/** Shows what the steps are doing while they do it. Names and notes may hold text from elsewhere. */
export interface ProgressDisplay {
  /** Whether lines change in place; else each change is a line of its own. */
  readonly isLive: boolean;
  /** All lines as they are now; call it as often as you like. */
  show(lines: readonly StepLine[]): void;
  /** A line that stays. */
  note(text: string): void;
  /** Leaves the last state standing. */
  end(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_TIME = 100;
/** `12 min 05 s` */
const TIME_WIDTH = 11;
/** The mark, the spaces between the columns, and one that stays free at the end. */
const BETWEEN = 8;

const MARKS = {
  pending: ['·', 'dim'],
  running: ['', 'cyan'],
  attention: ['!', 'yellow'],
  done: ['✔', 'green'],
  failed: ['✖', 'red'],
  skipped: ['–', 'dim'],
} as const satisfies Record<StepState, readonly [string, string]>;

/** On a terminal one live line a step (not on a dumb one); elsewhere a plain line for each change. */
export function createProgressDisplay(stream: NodeJS.WriteStream = process.stderr): ProgressDisplay {
  return isLive(stream) ? new LiveDisplay(stream) : new PlainDisplay(stream);
}

class LiveDisplay implements ProgressDisplay {
  readonly isLive = true;
  readonly #stream: NodeJS.WriteStream;
  readonly #update: ReturnType<typeof createLogUpdate>;
  readonly #timer: NodeJS.Timeout;
  readonly #said = new Set<string>();
  #lines: readonly StepLine[] = [];
  #shownAt = 0;
  #frame = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#update = createLogUpdate(stream);
    this.#timer = setInterval(() => this.#draw(), FRAME_TIME);
    this.#timer.unref();
  }

  show(lines: readonly StepLine[]): void {
    this.#lines = lines.map(readable);
    this.#shownAt = Date.now();
    this.#draw();
    for (const line of this.#lines) {
      const words = `${line.name}: ${line.note}${below(line)}`;
      if (line.commands === undefined || this.#said.has(words)) continue;
      this.#said.add(words);
      this.note(words);
    }
  }

  note(text: string): void {
    this.#update.clear();
    this.#stream.write(`${wrapped(printable(text), this.#stream.columns)}\n`);
    this.#draw();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#draw();
    this.#update.done();
  }

  #layout(): { names: number; models: number; room: number } {
    const names = Math.max(...this.#lines.map(({ name }) => stringWidth(name)));
    const models = Math.max(...this.#lines.map(({ model }) => model.length));
    return { names, models, room: (this.#stream.columns || 80) - names - models - TIME_WIDTH - BETWEEN };
  }

  #draw(): void {
    if (this.#lines.length === 0) return;
    this.#frame += 1;
    const { names, models, room } = this.#layout();
    const since = Date.now() - this.#shownAt;
    const drawn = this.#lines.map(({ name, model, state, note, elapsed }) => {
      const [still, format] = MARKS[state];
      const mark = state === 'running' ? (FRAMES[this.#frame % FRAMES.length] ?? '') : still;
      const ticking = state === 'running' || state === 'attention' ? since : 0;
      const time = elapsed === undefined ? '' : formatElapsed(elapsed + ticking);
      const columns = [
        `${style(this.#stream, format, mark)} ${fitted(name, names)}`,
        style(this.#stream, 'dim', fitted(model, models)),
        `${fitted(note, room)} ${style(this.#stream, 'dim', time.padStart(TIME_WIDTH))}`,
      ];
      return columns.join('  ');
    });
    this.#update(drawn.join('\n'));
  }
}

class PlainDisplay implements ProgressDisplay {
  readonly isLive = false;
  readonly #stream: NodeJS.WriteStream;
  readonly #shown = new Map<string, string>();

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(lines: readonly StepLine[]): void {
    for (const line of lines.map(readable)) {
      const { name, model, state, note, elapsed } = line;
      const words = `${state}/${note}`;
      if (state === 'pending' || this.#shown.get(name) === words) continue;
      this.#shown.set(name, words);
      const time = state === 'running' || elapsed === undefined ? '' : ` (${formatElapsed(elapsed)})`;
      this.note(`${model === '' ? name : `${name} (${model})`}: ${note}${time}${below(line)}`);
    }
  }

  note(text: string): void {
    this.#stream.write(`${printable(text)}\n`);
  }

  end(): void {
    // Every line was final.
  }
}

function readable(line: StepLine): StepLine {
  return { ...line, name: oneLine(line.name), note: oneLine(line.note) };
}

/** The commands that a line waits for, each below it. */
function below({ commands = [] }: StepLine): string {
  return commands.map((command) => `\n  ${command}`).join('');
}

/** A text that takes exactly so many columns: filled up, or cut off. */
function fitted(text: string, columns: number): string {
  const missing = columns - stringWidth(text);
  if (missing >= 0) return text + ' '.repeat(missing);
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > columns - 1) break;
    kept += segment;
  }
  return fitted(`${kept}…`, Math.max(columns, 1));
}
