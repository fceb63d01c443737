import mime from 'mime';
import { isCalled, type MediaFormat } from './inspection/media-format.ts';
import type { TextKind } from './inspection/text-kind.ts';

/** What a file is called: in its store, and in the result. */
export interface FileType {
  contentType: string;
  /** Without the dot. */
  extension: string;
}

const OCTETS = 'application/octet-stream';
/** What no browser and no shell runs. */
const NEUTRAL: FileType = { contentType: OCTETS, extension: 'bin' };

/** Types that nothing is run of when somebody opens them. XML is not among them: SVG and XHTML hold scripts. */
const HARMLESS =
  /^(?:(?:image|audio|video|model|font)\/(?!.*(?:xml|svg))|text\/(?:plain|csv|markdown|vtt|yaml)$|application\/(?:json|x-subrip)$)/;
/** Data of models, which has no registered type: the specification's speaker embeddings. */
const PLAIN_DATA: ReadonlySet<string> = new Set(['safetensors']);

/** What is said of a file by those who should know. */
export interface SaidOfFile {
  /** The record's content type. */
  declared: string | null;
  /** The path of its URL; empty where there is none. */
  path: string;
  /** Its server's content type; null, too, where it is not known any more. */
  served: string | null;
}

/** What a file's first bytes show: its format, null for an unknown one, and whether it is text. */
export interface SeenOfFile {
  format: MediaFormat | null;
  text?: TextKind | undefined;
}

/**
 * What to call a file: by its bytes; of an unknown format, by what is said of it. What is no media and no plain data
 * (pages, scripts, programs, archives) is `application/octet-stream` and `.bin`, whoever says otherwise: stores are
 * served from, and a stranger's page must not run where our users' own do.
 */
export function typeOfFile({ format, text }: SeenOfFile, said: SaidOfFile): FileType {
  const declared = plainType(said.declared);
  if (format !== null) {
    if (!HARMLESS.test(format.type)) return NEUTRAL;
    const contentType = isCalled(format, declared) ? declared : format.type;
    return { contentType, extension: format.extension };
  }
  if (text === 'html' || text === 'svg' || text === 'xml') return NEUTRAL;
  const ending = /\.([a-z0-9]{1,12})$/i.exec(said.path)?.[1]?.toLowerCase() ?? '';
  if (PLAIN_DATA.has(ending)) return { contentType: OCTETS, extension: ending };
  for (const contentType of [declared, mime.getType(ending), plainType(said.served)]) {
    const extension = contentType !== null && HARMLESS.test(contentType) && mime.getExtension(contentType);
    if (extension) return { contentType, extension };
  }
  return NEUTRAL;
}

/** A content type without parameters; empty where nothing is said. */
function plainType(contentType: string | null): string {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
