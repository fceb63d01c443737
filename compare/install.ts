import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = dirname(fileURLToPath(import.meta.url));

/** The compared packages in the versions of package-lock.json, from the registry where they are not here yet. */
export async function installPackages(say: (line: string) => void): Promise<Record<string, string>> {
  const wanted = dependencies();
  if (Object.entries(wanted).some(([name, version]) => installed(name) !== version)) {
    say(`installing ${Object.keys(wanted).join(', ')} in ${FOLDER}`);
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER });
  }
  return wanted;
}

/** Name → version, as package.json has them: exact ones. */
function dependencies(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(`${FOLDER}/package.json`, 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return dependencies;
}

function installed(name: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(`${FOLDER}/node_modules/${name}/package.json`, 'utf8')) as {
      version: string;
    };
    return version;
  } catch {
    return undefined;
  }
}
