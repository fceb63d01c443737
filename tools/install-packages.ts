import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * Installs the packages of a folder that is no workspace, in the versions of its package-lock.json, if they are not there
 * yet: they are large, conflict with the project's own, or are needed seldom.
 *
 * @returns the folder's dependencies by name, with their versions
 */
export async function installPackages(
  folder: string,
  say: (line: string) => void,
): Promise<Record<string, string>> {
  const wanted = dependencies(folder);
  if (Object.entries(wanted).some(([name, version]) => installed(folder, name) !== version)) {
    say(`installing ${Object.keys(wanted).join(', ')} in ${folder}`);
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  }
  return wanted;
}

/** Name → version, as package.json has them: exact ones. */
function dependencies(folder: string): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return dependencies;
}

function installed(folder: string, name: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(`${folder}/node_modules/${name}/package.json`, 'utf8')) as {
      version: string;
    };
    return version;
  } catch {
    return undefined;
  }
}
