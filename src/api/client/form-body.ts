import { randomUUID } from 'node:crypto';

/** A field of a form: a text, or a file whose bytes are read when it is sent. */
export type FormPart =
  | { name: string; text: string }
  | {
      name: string;
      fileName: string;
      contentType: string;
      bytes: number;
      read: () => AsyncIterable<Uint8Array>;
    };

/** `multipart/form-data` (RFC 7578) of a known length, which holds no file in memory as a whole. */
export class FormBody {
  /**
   * Why a file could not be read to its end. Its request is then broken off before its announced length: nobody can have
   * taken it.
   */
  failure: Error | undefined;
  readonly #parts: readonly FormPart[];
  readonly #boundary = `darkroom-${randomUUID()}`;

  constructor(parts: readonly FormPart[]) {
    this.#parts = parts;
  }

  get headers(): Record<string, string> {
    const parts = this.#parts.map((part) => {
      const own = 'text' in part ? Buffer.byteLength(part.text) : part.bytes;
      return Buffer.byteLength(this.#head(part)) + own + 2;
    });
    const length = parts.reduce((sum, bytes) => sum + bytes, Buffer.byteLength(this.#end));
    return {
      'content-type': `multipart/form-data; boundary=${this.#boundary}`,
      'content-length': String(length),
    };
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    for (const part of this.#parts) {
      yield Buffer.from(this.#head(part));
      if ('text' in part) yield Buffer.from(part.text);
      else yield* this.#file(part);
      yield Buffer.from('\r\n');
    }
    yield Buffer.from(this.#end);
  }

  async *#file({ read, fileName, bytes }: Extract<FormPart, { bytes: number }>): AsyncGenerator<Uint8Array> {
    let sent = 0;
    try {
      for await (const piece of read()) {
        sent += piece.byteLength;
        yield piece;
      }
      if (sent !== bytes) throw new Error(`${fileName} has ${sent} bytes, not ${bytes}`);
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  #head(part: FormPart): string {
    const lines = [
      `--${this.#boundary}`,
      `content-disposition: form-data; name="${escaped(part.name)}"${'text' in part ? '' : `; filename="${escaped(part.fileName)}"`}`,
      ...('text' in part ? [] : [`content-type: ${part.contentType}`]),
    ];
    return `${lines.join('\r\n')}\r\n\r\n`;
  }

  get #end(): string {
    return `--${this.#boundary}--\r\n`;
  }
}

/** As browsers write names (HTML, "multipart/form-data encoding algorithm"). */
function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
