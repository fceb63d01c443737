import { cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { run, strangersEnvironment } from './run.ts';

/** A folder with nothing in it but what was installed from the tarballs. */
export interface Project {
  folder: string;
  /** With the Node that the project is tried on before any other. */
  env: NodeJS.ProcessEnv;
  /** Writes a file. */
  write(name: string, text: string): Promise<void>;
  /** Copies a file of this repository, under a name. */
  copy(from: string, name: string): Promise<void>;
  /** Runs a program. @returns what it wrote to standard output */
  run(program: string, ...args: string[]): Promise<string>;
  install(...packages: string[]): Promise<void>;
  /** Bytes of what is installed. */
  installedBytes(): Promise<number>;
}

/** @param bin the folder of the Node to use */
export async function emptyProject(
  folder: string,
  bin: string,
  packages: readonly string[],
): Promise<Project> {
  const env = environmentOf(bin);
  await mkdir(folder, { recursive: true });
  const project: Project = {
    folder,
    env,
    write: (name, text) => writeFile(join(folder, name), text),
    copy: (from, name) => cp(from, join(folder, name)),
    run: (program, ...args) => run(program, args, { cwd: folder, env }),
    async install(...names) {
      await run('npm', ['install', '--no-audit', '--no-fund', ...names], { cwd: folder, env });
    },
    installedBytes: () => bytesBelow(join(folder, 'node_modules')),
  };
  await project.write('package.json', '{ "name": "stranger", "private": true }\n');
  await project.install(...packages);
  return project;
}

/** A stranger's, with a Node of its own. @param bin the folder of that Node */
export function environmentOf(bin: string): NodeJS.ProcessEnv {
  const inherited = strangersEnvironment();
  return { ...inherited, PATH: `${bin}${delimiter}${inherited['PATH'] ?? ''}` };
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map((file) => stat(join(file.parentPath, file.name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
