import { readFileSync } from 'node:fs';
import { ROOT } from './compose-file.ts';

export interface Stage {
  name: string;
  from: string;
  instructions: { keyword: string; rest: string }[];
}

/** The Dockerfile's stages in order; comments are gone and continued lines are one. */
export function readStages(): Stage[] {
  const text = readFileSync(`${ROOT}Dockerfile`, 'utf8')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  const stages: Stage[] = [];
  for (const line of text.split('\n').filter((line) => line !== '')) {
    const [, keyword = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (keyword === 'FROM') {
      const [, from = '', name = ''] = /^(\S+) AS (\S+)$/.exec(rest) ?? [];
      stages.push({ name, from, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push({ keyword, rest });
    }
  }
  return stages;
}

/** Everything that is done for a stage: what its base stages do, then its own. */
export function instructionsOf(name: string, stages: readonly Stage[]): Stage['instructions'] {
  const stage = stages.find((stage) => stage.name === name);
  if (stage === undefined) return [];
  return [...instructionsOf(stage.from, stages), ...stage.instructions];
}

/** The command, or the health check's command, that counts for a stage: the last one, in its JSON form. */
export function lastCommand(
  keyword: 'CMD' | 'HEALTHCHECK',
  name: string,
  stages: readonly Stage[],
): string[] {
  const last = instructionsOf(name, stages).findLast((instruction) => instruction.keyword === keyword);
  return JSON.parse(/\[.*\]$/.exec(last?.rest ?? '')?.[0] ?? '[]') as string[]; // the JSON form is a list of words
}

/** The files and folders of the project that a stage gets, by their paths in the project. */
export function copiedInto(name: string, stages: readonly Stage[]): string[] {
  return instructionsOf(name, stages)
    .filter(({ keyword, rest }) => keyword === 'COPY' && !rest.startsWith('--from='))
    .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1));
}
