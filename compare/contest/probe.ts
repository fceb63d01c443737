import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmulatorControl } from '../../test/chaos/emulator-control.ts';
import type { CompetitorName } from './competitors.ts';
import { newAccess, openService } from './service.ts';

/** What a package does by itself when answers are lost. */
export interface Probed {
  /** POSTs that were taken, and charged, when the answer to the first one is lost. */
  oneLost: number;
  /** The same when every answer is lost. */
  allLost: number;
  idempotencyKey: boolean;
}

/** The published packages; what the others do is in their own code. */
export const PACKAGES = ['fal', 'replicate', 'runway', 'ai-sdk'] as const satisfies readonly CompetitorName[];

/** As seen with the versions in package.json. Another outcome: the package has changed, and with it the comparison. */
export const EXPECTED: Readonly<Record<(typeof PACKAGES)[number], Probed>> = {
  fal: { oneLost: 2, allLost: 4, idempotencyKey: false },
  replicate: { oneLost: 2, allLost: 6, idempotencyKey: false },
  runway: { oneLost: 2, allLost: 3, idempotencyKey: false },
  'ai-sdk': { oneLost: 2, allLost: 3, idempotencyKey: false },
};

const [ONE, ALL] = [1, 2];

/** Gives each package an order whose first answer is lost, and one all of whose answers are. */
export async function probe(
  folder: string,
  speed: number,
): Promise<Record<(typeof PACKAGES)[number], Probed>> {
  const found = PACKAGES.map(
    async (name) => [name, await probeOne(name, join(folder, 'probe'), speed)] as const,
  );
  return Object.fromEntries(await Promise.all(found)) as Record<(typeof PACKAGES)[number], Probed>; // of each name
}

async function probeOne(name: CompetitorName, folder: string, speed: number): Promise<Probed> {
  await mkdir(folder, { recursive: true });
  const access = newAccess(0);
  const { apiKey } = access;
  const emulator = await EmulatorControl.start({
    port: 0,
    media: 'tiny',
    speed,
    accounts: [{ workspace: name, apiKey, credits: { permanent: 10_000, subscription: 0 } }],
  });
  try {
    await using service = await openService({
      name,
      baseUrl: emulator.baseUrl,
      access,
      pace: 10,
      folder,
      fate: (order, nth) => (order === ALL || nth === 1 ? 'lost' : 'taken'),
    });
    const { edge, supervisor } = service;
    await supervisor.give(
      [ONE, ALL].map((number) => ({ number, prompt: `order ${number}: a lighthouse at dawn` })),
    );
    while (supervisor.outcomes.size < 2) await delay(100);
    const { idempotencyKey } = edge;
    return { oneLost: edge.of(ONE).taken, allLost: edge.of(ALL).taken, idempotencyKey };
  } finally {
    await emulator.stop();
  }
}
