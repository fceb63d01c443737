import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The file that a shell would run for `name` under `env`'s PATH, or undefined. */
export async function executableOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const suffixes = process.platform === 'win32' ? (env['PATHEXT'] ?? '.EXE;.CMD').split(';') : [''];
  for (const folder of (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(Boolean)) {
    for (const suffix of suffixes) {
      const path = join(folder, name + suffix);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

/** Whether `path` is a file that this user may run. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
