import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EmulatorControl } from '../../test/chaos/emulator-control.ts';
import { lastingPort } from '../../test/lasting-port.ts';
import { COMPETITORS, type CompetitorName } from './competitors.ts';
import { Contest, type ContestOptions, HANGS, hangRule } from './contest.ts';
import { LEVELS } from './levels.ts';
import type { Score } from './score.ts';
import { type Access, newAccess } from './service.ts';

export type LevelOptions = Omit<ContestOptions, 'name' | 'emulator' | 'access'> & {
  names: readonly CompetitorName[];
  /** How many times faster than the real thing tasks are. */
  speed: number;
};

/** One level, all competitors side by side, each in a workspace of its own. */
export async function runLevel({
  names,
  speed,
  ...options
}: LevelOptions): Promise<Map<CompetitorName, Score>> {
  const { seed, level } = options;
  const folder = join(options.folder, level.replace(' ', '-'));
  await mkdir(folder, { recursive: true });
  const { webhooks, needs } = LEVELS[level];
  const playing = names.filter((name) => needs === 'nothing' || COMPETITORS[name].taskQueue !== undefined);
  const access = new Map<CompetitorName, Access>();
  for (const name of playing) access.set(name, newAccess(await lastingPort()));
  const emulator = await EmulatorControl.start({
    port: 0,
    seed,
    speed,
    media: 'tiny',
    accounts: [...access].map(([name, { apiKey }]) => ({
      workspace: name,
      apiKey,
      credits: { permanent: 1_000_000, subscription: 0 },
    })),
    endpoints: [...access].flatMap(([name, { secret, webhookPort }]) =>
      endpointOf(name, secret, webhookPort),
    ),
    faults: [
      ...webhooks,
      ...playing.map((name) => ({
        id: hangRule(name),
        on: 'task' as const,
        match: { workspace: name, promptIncludes: HANGS },
        fault: { kind: 'hang' as const },
      })),
    ],
  });
  try {
    const scores = await Promise.all(
      [...access].map(async ([name, access]) => {
        const score = await Contest.run({ ...options, folder, name, emulator, access });
        options.say(
          `${level}: ${name}: bought ${score.bought}, twice ${score.boughtTwice}, lost ${score.lost}`,
        );
        return [name, score] as const;
      }),
    );
    return new Map(scores);
  } finally {
    await emulator.stop();
  }
}

const ENDS = ['task.completed', 'task.failed', 'task.canceled'] as const;

function endpointOf(name: CompetitorName, secret: string, port: number) {
  const { webhooks } = COMPETITORS[name];
  if (webhooks === undefined) return [];
  const url = `http://127.0.0.1:${port}/webhooks`;
  return [{ workspace: name, url, secret, ...(webhooks === 'ends' ? { events: ENDS } : {}) }];
}
