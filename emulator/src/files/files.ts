import { hash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { markedTiny, TINY_MEDIA } from '../media/tiny-media.ts';
import { Collection, type Keeping } from '../storage/collection.ts';
import type { StoredOutput, Task, Tasks } from '../tasks/tasks.ts';

/** A file that came with a multipart submit. */
interface Upload {
  id: string;
  workspace: string;
  file: StoredOutput;
}

/** A file that a URL below `/files/` names, and the task that made it, if one did. */
export interface ServedFile {
  file: StoredOutput;
  task: Task | undefined;
  workspace: string;
}

export interface NewFile {
  bytes: Uint8Array;
  fileName: string;
  contentType: string;
  width?: number | null;
  height?: number | null;
  duration?: number | null;
}

/** The outputs of tasks and the uploads, kept on disk beside the database or in a folder that goes at the end. */
export class Files {
  readonly #tasks: Tasks;
  readonly #uploads: Collection<Upload>;
  readonly #kept: string | undefined;
  #root: Promise<string> | undefined;
  #closed = false;

  /** @param folder where the files stay; without one they go into a temporary folder, removed by `close` */
  constructor(keeping: Keeping, tasks: Tasks, folder: string | undefined) {
    this.#tasks = tasks;
    this.#kept = folder;
    this.#uploads = new Collection(keeping, 'uploads');
  }

  /** Keeps an output of a task. */
  async storeOutput(taskId: string, index: number, file: NewFile): Promise<StoredOutput> {
    return await this.#write(join(taskId, `${index}`), file);
  }

  /** Keeps an upload. @returns the path of its URL */
  async storeUpload(workspace: string, file: NewFile): Promise<string> {
    const id = randomUUID();
    const upload = { id, workspace, file: await this.#write(join('uploads', id), file) };
    this.#uploads.save(upload);
    return `/files/uploads/${id}/${upload.file.fileName}`;
  }

  /** The file of a URL's path: `/files/<task>/<index>/<name>` or `/files/uploads/<id>/<name>`. */
  find(path: string): ServedFile | undefined {
    const [, , first = '', second = ''] = path.split('/');
    if (first === 'avatar.png') return { file: TINY_MEDIA.image.output, task: undefined, workspace: '' };
    if (first === 'uploads') {
      const upload = this.#uploads.get(second);
      return upload && { file: upload.file, task: undefined, workspace: upload.workspace };
    }
    const task = this.#tasks.get(first);
    const file = /^\d+$/.test(second) ? task?.outputs[Number(second)] : undefined;
    if (task === undefined || file === undefined || task.vanished) return undefined;
    return { file, task, workspace: task.workspace };
  }

  async read(file: StoredOutput): Promise<Buffer> {
    const { source } = file;
    if (source.kind === 'disk') return await readFile(join(await this.#folder(), source.path));
    return source.mark === undefined
      ? TINY_MEDIA[source.media].bytes
      : markedTiny(source.media, source.mark).bytes;
  }

  /** Removes every file. */
  async clear(): Promise<void> {
    if (this.#root === undefined && this.#kept === undefined) return;
    const root = await this.#folder();
    await rm(root, { recursive: true, force: true });
    await mkdir(root, { recursive: true });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#kept !== undefined || this.#root === undefined) return;
    await rm(await this.#root, { recursive: true, force: true });
  }

  async #write(path: string, file: NewFile): Promise<StoredOutput> {
    const target = join(await this.#folder(), path);
    // A render that ends late must not bring the folder back.
    if (this.#closed) throw new Error('The emulator was closed');
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, file.bytes);
    return {
      fileName: urlSafe(file.fileName),
      contentType: file.contentType,
      size: file.bytes.length,
      width: file.width ?? null,
      height: file.height ?? null,
      duration: file.duration ?? null,
      etag: `"${hash('sha256', file.bytes, 'hex').slice(0, 32)}"`,
      source: { kind: 'disk', path },
    };
  }

  #folder(): Promise<string> {
    this.#root ??=
      this.#kept === undefined ? mkdtemp(join(tmpdir(), 'darkroom-emulator-')) : keep(this.#kept);
    return this.#root;
  }
}

async function keep(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}

/** The last part of a name, with nothing in it that a URL's path would have to escape. */
function urlSafe(fileName: string): string {
  return (fileName.split(/[\\/]/).at(-1) ?? '').replaceAll(/[^\w.-]+/g, '-').replace(/^\.+/, '') || 'file';
}
