import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { ownProgram } from '../package/own-command.ts';
import type { CleanupStack } from '../worker/cleanup-stack.ts';

/** The key and the webhook secret of the emulator's default workspace; they open nothing else. */
export interface EmulatorAccess {
  apiKey: string;
  webhookSecret: string;
}

/** What a local stack keeps over restarts, and where. */
export interface DevState {
  folder: string;
  temporalDatabase: string;
  emulatorDatabase: string;
  access: EmulatorAccess;
}

const accessSchema = z.strictObject({ apiKey: z.string().min(8), webhookSecret: z.string().min(32) });

export function newAccess(): EmulatorAccess {
  return {
    apiKey: `dk_local_${randomBytes(12).toString('hex')}`,
    webhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
  };
}

/**
 * Opens the folder that `npm run dev` keeps its state in, or makes it: with a `.gitignore` of its own, and locked until
 * `cleanup` or this process's end, whatever that is.
 *
 * @throws Error with a message for people when another process uses it, or a file in it is broken
 */
export async function openDevState(cleanup: CleanupStack): Promise<DevState> {
  const folder = resolve('.darkroom');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, '.gitignore'), '*\n');
  cleanup.defer(lock(folder));
  return {
    folder,
    temporalDatabase: join(folder, 'temporal.db'),
    emulatorDatabase: join(folder, 'emulator.db'),
    access: await keptAccess(join(folder, 'access.json')),
  };
}

/** Kept, so that what was exported in other terminals goes on being right. */
async function keptAccess(file: string): Promise<EmulatorAccess> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    const access = newAccess();
    await writeFile(file, JSON.stringify(access), { mode: 0o600 });
    return access;
  }
  try {
    return accessSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${file} is broken: delete it, and a new key and secret are made`, { cause: error });
  }
}

/** A lock that the system gives up with the process. @returns what gives it up before */
function lock(folder: string): () => void {
  const database = new DatabaseSync(join(folder, 'lock'));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw new Error(
      `${folder} is in use by another \`${ownProgram('dev')}\`\n  ${ownProgram('dev', '--fresh')} runs beside it, without a state of its own`,
      { cause: error },
    );
  }
  return () => database.close();
}
