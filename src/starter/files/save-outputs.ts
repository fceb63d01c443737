import { extname, join } from 'node:path';
import { nameOf } from '../../client/files/client-files.ts';
import { wholeOutputs } from '../../client/files/whole-outputs.ts';
import type { GenerationOutput, GenerationResult } from '../../contract/generation.ts';
import type { PipelineResult, StepItem } from '../../contract/pipeline.ts';
import { printable } from '../../terminal/printable.ts';
import { formatBytes } from '../../terminal/units.ts';
import type { Session } from '../session.ts';

/** An output that lies in the folder now. */
export interface SavedFile {
  path: string;
  bytes: number;
  sha256: string;
}

/**
 * Writes what a run has made into a folder: `order-17.png`, of several `order-17-1.png` and so on; of a pipeline by its
 * steps, `clip.mp4`, and under fan-out `clip-0.mp4`, as their workflow ids say it. Where a step is called like another
 * one's output, the second file is `clip-0.2.mp4`.
 */
export async function saveOutputs(
  session: Session,
  workflowId: string,
  result: GenerationResult | PipelineResult,
  folder: string,
): Promise<SavedFile[]> {
  const own = workflowId.split('/').at(-1) ?? workflowId;
  const made = 'steps' in result ? await outputsOfSteps(session, result) : [{ name: own, ...result }];
  const files = made.flatMap(({ name, outputs }) =>
    outputs.map((output, index) => ({ output, name: outputs.length === 1 ? name : `${name}-${index + 1}` })),
  );
  const saved: SavedFile[] = [];
  const names = new FileNames();
  for (const { name, output } of files) {
    const { uri, bytes, sha256 } = output.stored;
    const path = join(folder, names.next(fileName(name), extname(nameOf(uri))));
    await session.files.download(output, path);
    saved.push({ path, bytes, sha256 });
  }
  return saved;
}

/** One line a file. */
export function describeSaved(files: readonly SavedFile[]): string {
  if (files.length === 0) return 'No files.';
  return files.map(({ path, bytes }) => printable(`${path} (${formatBytes(bytes)})`)).join('\n');
}

interface Made {
  name: string;
  outputs: readonly GenerationOutput[];
}

async function outputsOfSteps({ temporal }: Session, { steps }: PipelineResult): Promise<Made[]> {
  const made: Made[] = [];
  for (const [step, entry] of Object.entries(steps)) {
    const items: readonly StepItem[] = 'items' in entry ? entry.items : [entry];
    for (const [index, item] of items.entries()) {
      if (item.status !== 'COMPLETED') continue;
      const name = 'items' in entry ? `${step}-${index}` : step;
      made.push({ name, outputs: await wholeOutputs(temporal, item) });
    }
  }
  return made;
}

/** No two of them are the same file, also where case does not count. A step's name has no dot. */
class FileNames {
  readonly #given = new Map<string, number>();

  next(name: string, extension: string): string {
    const same = `${name}${extension}`.toLowerCase();
    const count = (this.#given.get(same) ?? 0) + 1;
    this.#given.set(same, count);
    return `${name}${count === 1 ? '' : `.${count}`}${extension}`;
  }
}

function fileName(text: string): string {
  return text.replaceAll(/[^\w.+@-]+/g, '-').replace(/^\.+/, '') || 'output';
}
