import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller, Note, Order, Report } from './caller.ts';

/**
 * The process of a user's service around a caller, the same for all: takes orders from its supervisor, keeps notes on
 * the disk, stores the picture and reports. What the caller throws is the order's end, unless there is a note: then
 * nothing is bought by calling it again, and it is, for some minutes.
 */
const [file = '', folder = ''] = process.argv.slice(2);
const caller = (await import(file)) as Caller; // the competitors' table names the file

/** Milliseconds. */
const PAUSE = 5_000;
const GOES_ON_FOR = 150_000;

await caller.start?.();
process.on('message', (order: Order) => void take(order));
report({ kind: 'ready' });

async function take(order: Order): Promise<void> {
  try {
    const made = await generate(order);
    const picture = typeof made === 'string' ? await download(made) : made;
    writeFileSync(join(folder, `${order.number}.png`), picture);
    report({ kind: 'result', order: order.number, bytes: picture.byteLength });
  } catch (error) {
    report({ kind: 'failure', order: order.number, message: messageOf(error) });
  }
}

async function generate(order: Order): Promise<Uint8Array | string> {
  const note = noteOn(order.number);
  const until = Date.now() + GOES_ON_FOR;
  for (;;) {
    try {
      return await caller.generate(order, note);
    } catch (error) {
      if (note.read() === undefined || Date.now() > until) throw error;
      await delay(PAUSE);
    }
  }
}

async function download(url: string): Promise<Uint8Array> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return await answer.bytes();
}

function noteOn(order: number): Note {
  const path = join(folder, 'notes', String(order));
  return {
    read() {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return undefined; // there is none yet
      }
    },
    write(id) {
      mkdirSync(join(folder, 'notes'), { recursive: true });
      writeFileSync(path, id);
    },
  };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause === undefined ? error.message : `${error.message}: ${messageOf(cause)}`;
}

function report(said: Report): void {
  process.send?.(said);
}
