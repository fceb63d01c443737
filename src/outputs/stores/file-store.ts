import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { uploadToFolder } from '../inputs/upload-to-folder.ts';
import { hasErrorCode, onFolder } from './folder-failure.ts';
import { makeFolder } from './make-folder.ts';
import { beginsWith, belongsTo, type OutputStore, type StoredOutput } from './output-store.ts';
import { readHashed, writeHashed } from './write-hashed.ts';

const PART = '.part';
/** Longer than any live download is silent. */
const ABANDONED_AFTER = 3_600_000;

/**
 * Outputs as files in a folder. A file is written beside its place under a hidden name, synced, and renamed: its
 * own name never shows a part of it, whatever crashes.
 */
export function createFileStore(root: string): OutputStore {
  const top = resolve(root);
  const pathOf = (key: string): string => {
    const path = resolve(top, key);
    if (!path.startsWith(top.endsWith(sep) ? top : top + sep)) {
      throw new RangeError(`the key ${JSON.stringify(key)} leads out of the outputs folder`);
    }
    return path;
  };

  return {
    place: `the folder ${top}`,

    async put(key, source, { unless }) {
      const path = pathOf(key);
      const folder = dirname(path);
      const isNew = await onFolder(folder, () => makeFolder(folder));
      if (!isNew) await removeAbandoned(folder);
      const part = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}${PART}`);
      const digest = await writeHashed(part, source);
      try {
        const there = await unless?.(digest);
        if (there !== undefined) {
          await onFolder(folder, () => rm(part, { force: true }));
          return there;
        }
        await onFolder(folder, () => rename(part, path));
      } catch (error) {
        await rm(part, { force: true }).catch(() => undefined); // the first error is the one to tell
        throw error;
      }
      await syncFolder(folder);
      return { uri: pathToFileURL(path).href, ...digest };
    },

    async find(base): Promise<StoredOutput | undefined> {
      const folder = dirname(pathOf(base));
      const names = await onFolder(folder, () => namesIn(folder));
      const stem = base.slice(0, base.lastIndexOf('/') + 1);
      const key = names.map((name) => stem + name).find((key) => belongsTo(base, key));
      if (key === undefined) return undefined;
      const path = pathOf(key);
      const digest = await onFolder(folder, () => readHashed(path));
      return digest.bytes === 0 ? undefined : { key, stored: { uri: pathToFileURL(path).href, ...digest } };
    },

    async findSame(stem, { bytes, sha256 }) {
      const folder = dirname(pathOf(stem));
      const inFolder = stem.slice(0, stem.lastIndexOf('/') + 1);
      for (const name of await onFolder(folder, () => namesIn(folder))) {
        const key = inFolder + name;
        if (!beginsWith(stem, key)) continue;
        const path = pathOf(key);
        const found = await onFolder(folder, async () =>
          (await stat(path)).size === bytes ? await readHashed(path) : undefined,
        );
        if (found?.sha256 === sha256) return { key, stored: { uri: pathToFileURL(path).href, ...found } };
      }
      return undefined;
    },

    async list(folder) {
      const path = pathOf(folder);
      return await onFolder(path, async () => {
        const names = (await namesIn(path)).filter((name) => !name.startsWith('.'));
        const files = await Promise.all(
          names.map(async (name) => ({ name, found: await stat(join(path, name)).catch(() => undefined) })),
        );
        return files.flatMap(({ name, found }) =>
          found?.isFile() === true ? [{ key: `${folder}/${name}`, storedAt: found.mtimeMs }] : [],
        );
      });
    },

    read(key, start, end) {
      const path = pathOf(key);
      return onFolder(dirname(path), async () => {
        const file = await open(path, 'r');
        try {
          const { buffer, bytesRead } = await file.read(new Uint8Array(end - start), 0, end - start, start);
          return buffer.subarray(0, bytesRead);
        } finally {
          await file.close();
        }
      });
    },

    async stat(key) {
      const path = pathOf(key);
      return await onFolder(dirname(path), async () => {
        const found = await stat(path).catch((error: unknown) => {
          if (hasErrorCode(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
          throw error;
        });
        return found?.isFile() === true ? { bytes: found.size } : undefined;
      });
    },

    uriOf: (key) => pathToFileURL(pathOf(key)).href,

    async upload(key, source, sha256) {
      const path = pathOf(key);
      await uploadToFolder(path, source, sha256);
      await syncFolder(dirname(path));
    },

    async check() {
      await onFolder(top, async () => {
        await makeFolder(top);
        const probe = join(top, `.${randomBytes(6).toString('hex')}${PART}`);
        await (await open(probe, 'wx')).close();
        await rm(probe);
      });
    },
  };
}

/** The folder's names in a fixed order; none when there is no such folder. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (hasErrorCode(error) && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Removes what writers that died long ago left in a folder; another process may be doing the same. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await onFolder(folder, () => namesIn(folder))) {
    if (!name.startsWith('.') || !name.endsWith(PART)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_AFTER) {
      await rm(path, { force: true }).catch(() => undefined);
    }
  }
}

/** Makes a rename survive a power cut. Windows cannot sync a folder, some network file systems neither. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The file itself is synced; without this only its new name could be lost, and then it is fetched again.
  }
}
