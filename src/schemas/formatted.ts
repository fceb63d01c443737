import { execFileSync } from 'node:child_process';

/** Source code as the project's formatter leaves it. */
export function formatted(code: string, path: string): string {
  return execFileSync('npx', ['biome', 'format', `--stdin-file-path=${path}`], {
    input: code,
    encoding: 'utf8',
  });
}
