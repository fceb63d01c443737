import { createLogUpdate } from 'log-update';
import type { StepLine, StepState } from './step-line.ts';
import { style } from './style.ts';
import { formatSeconds } from './units.ts';

/** Shows what the steps are doing while they do it. */
export interface ProgressDisplay {
  /** All lines as they are now; call it as often as you like. */
  show(lines: readonly StepLine[]): void;
  /** A line that stays. */
  note(text: string): void;
  /** Leaves the last state standing. */
  end(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_TIME = 100;

const MARKS = {
  pending: ['·', 'dim'],
  running: ['', 'cyan'],
  attention: ['!', 'yellow'],
  done: ['✔', 'green'],
  failed: ['✖', 'red'],
  skipped: ['–', 'dim'],
} as const satisfies Record<StepState, readonly [string, string]>;

/** On a terminal one live line a step; elsewhere a plain line for each change. */
export function createProgressDisplay(stream: NodeJS.WriteStream = process.stderr): ProgressDisplay {
  return stream.isTTY ? new LiveDisplay(stream) : new PlainDisplay(stream);
}

class LiveDisplay implements ProgressDisplay {
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
    this.#lines = lines;
    this.#shownAt = Date.now();
    this.#draw();
    this.#sayWhole();
  }

  note(text: string): void {
    this.#update.clear();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#draw();
    this.#update.done();
  }

  /** What needs a person may name a command: where the live line has to cut it off, it is said once more, whole. */
  #sayWhole(): void {
    const { room } = this.#layout();
    for (const { name, state, note } of this.#lines) {
      const words = `${name}: ${note}`;
      if (state !== 'attention' || note.length <= room || this.#said.has(words)) continue;
      this.#said.add(words);
      this.note(words);
    }
  }

  #layout(): { names: number; models: number; room: number } {
    const names = Math.max(...this.#lines.map(({ name }) => name.length));
    const models = Math.max(...this.#lines.map(({ model }) => model.length));
    return { names, models, room: (this.#stream.columns || 80) - names - models - 17 };
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
      const time = elapsed === undefined ? '' : formatSeconds(elapsed + ticking);
      const words = note.length > room ? `${note.slice(0, Math.max(0, room - 1))}…` : note.padEnd(room);
      const row = `${style(this.#stream, format, mark)} ${name.padEnd(names)}  ${style(this.#stream, 'dim', model.padEnd(models))}  ${words} `;
      return `${row}${style(this.#stream, 'dim', time.padStart(8))}`;
    });
    this.#update(drawn.join('\n'));
  }
}

class PlainDisplay implements ProgressDisplay {
  readonly #stream: NodeJS.WriteStream;
  readonly #shown = new Map<string, string>();

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(lines: readonly StepLine[]): void {
    for (const { name, model, state, note, elapsed } of lines) {
      const words = `${state}/${note}`;
      if (state === 'pending' || this.#shown.get(name) === words) continue;
      this.#shown.set(name, words);
      const time = state === 'running' || elapsed === undefined ? '' : ` (${formatSeconds(elapsed)})`;
      this.note(`${model === '' ? name : `${name} (${model})`}: ${note}${time}`);
    }
  }

  note(text: string): void {
    this.#stream.write(`${text}\n`);
  }

  end(): void {
    // Every line was final.
  }
}
