/** What a user's service is asked to make. */
export interface Order {
  number: number;
  prompt: string;
}

/** What a service keeps of one order, on a disk that outlives its process: the id of what it has bought. */
export interface Note {
  read(): string | undefined;
  write(id: string): void;
}

/** A caller: the code that a user of the package writes. */
export interface Caller {
  /** Where it needs a worker or a connection first. */
  start?(): Promise<unknown>;
  /** @returns the picture, or where it is; whatever is thrown ends the order as failed */
  generate(order: Order, note: Note): Promise<Uint8Array | string>;
}

/** What the process of a caller says. */
export type Report =
  | { kind: 'ready' }
  | { kind: 'result'; order: number; bytes: number }
  | { kind: 'failure'; order: number; message: string };
