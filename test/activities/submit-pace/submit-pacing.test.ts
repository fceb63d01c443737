import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RateLimits } from '../../../emulator/src/accounts/rate-limits.ts';
import { type PaceReports, SubmitPacing } from '../../../src/activities/submit-pace/submit-pacing.ts';
import type { SubmitReport } from '../../../src/policy/pace/types.ts';
import { eventually } from '../../eventually.ts';

const PACE = { initial: 100, factor: 2, max: 1_000, window: 60_000 };
const NEVER = new Promise<never>(() => undefined);

/** The fleet's end of the reports; it cannot be reached unless told otherwise. */
function fleet(answer?: PaceReports['report']) {
  const reports: SubmitReport[] = [];
  return {
    reports,
    async report(...sent: Parameters<PaceReports['report']>) {
      reports.push(sent[1]);
      if (answer === undefined) throw new Error('unreachable');
      return await answer(...sent);
    },
  };
}

/** An API with a token bucket; answers after `latency` milliseconds. */
function limitedApi(limit: number, latency: number) {
  const limits = new RateLimits();
  const counts = { accepted: 0, refused: 0 };
  return {
    counts,
    async submit(): Promise<boolean> {
      const rate = { limit, windowMs: 1_000, retryAfter: 'none' } as const;
      const accepted = limits.take('w', rate, Date.now()) === 0;
      counts[accepted ? 'accepted' : 'refused'] += 1;
      await sleep(latency);
      return accepted;
    },
  };
}

/** One submit from its first turn until it is accepted, as Temporal's retries would have it. */
async function submitUntilAccepted(pacing: SubmitPacing, api: ReturnType<typeof limitedApi>): Promise<void> {
  for (;;) {
    const turn = await pacing.turn('w', PACE, NEVER);
    if (turn.kind !== 'go') {
      await sleep(turn.delay);
      continue;
    }
    const accepted = await api.submit();
    if (accepted) turn.took.accepted();
    else turn.took.refused(undefined);
    turn.took.end();
    if (accepted) return;
    await sleep(PACE.initial);
  }
}

describe('the pacing of one process', () => {
  it('keeps a pace of its own while the fleet cannot be reached', async () => {
    const api = limitedApi(40, 5);
    const pacing = new SubmitPacing(fleet());
    await Promise.all(Array.from({ length: 120 }, () => submitUntilAccepted(pacing, api)));
    expect(api.counts.accepted).toBe(120);
    expect(api.counts.refused).toBeLessThan(80);
  });

  it('does not let a burst run into an API that answers slowly', async () => {
    const api = limitedApi(5, 100);
    const pacing = new SubmitPacing(fleet());
    const turns = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const turn = await pacing.turn('w', PACE, NEVER);
        if (turn.kind !== 'go') return turn.kind;
        const accepted = await api.submit();
        if (accepted) turn.took.accepted();
        else turn.took.refused(60_000);
        turn.took.end();
        return turn.kind;
      }),
    );
    expect(turns.filter((kind) => kind !== 'go').length).toBeGreaterThan(150);
    expect(api.counts.refused).toBeLessThan(30);
  });

  it('reports nothing and holds nothing back while nothing is refused', async () => {
    const to = fleet();
    const api = limitedApi(10_000, 1);
    const pacing = new SubmitPacing(to);
    await Promise.all(Array.from({ length: 300 }, () => submitUntilAccepted(pacing, api)));
    await sleep(50);
    expect(to.reports).toEqual([]);
    expect(api.counts).toEqual({ accepted: 300, refused: 0 });
  });

  it('makes one report of refusals that come together, with what was accepted just before', async () => {
    const to = fleet(async () => undefined);
    const pacing = new SubmitPacing(to);
    const turns = await Promise.all(Array.from({ length: 6 }, () => pacing.turn('w', PACE, NEVER)));
    for (const [i, turn] of turns.entries()) {
      if (turn.kind !== 'go') throw new Error('held back');
      if (i < 4) turn.took.accepted();
      else turn.took.refused(5_000);
      turn.took.end();
    }
    await eventually(() => expect(to.reports.length).toBe(1));
    expect(to.reports[0]).toMatchObject({ accepted: 4, refused: 2, held: 0, initial: 100, max: 1_000 });
    expect(to.reports[0]?.pausedFor).toBeGreaterThan(4_000);
  });

  it('holds back for as long as the API asks, in this workspace alone', async () => {
    const pacing = new SubmitPacing(fleet());
    const first = await pacing.turn('w', PACE, NEVER);
    if (first.kind === 'go') {
      first.took.refused(5_000);
      first.took.end();
    }
    const next = await pacing.turn('w', PACE, NEVER);
    expect(next).toMatchObject({ kind: 'hold' });
    expect(next.kind === 'hold' && next.delay).toBeGreaterThan(4_900);
    expect(await pacing.turn('other', PACE, NEVER)).toMatchObject({ kind: 'go' });
  });

  it('lets out more where the API takes its time, and has what finds no room come again one by one', async () => {
    const pacing = new SubmitPacing(fleet());
    const first = await pacing.turn('w', PACE, NEVER);
    if (first.kind === 'go') {
      first.took.accepted();
      first.took.end();
    }
    const turns = await Promise.all(Array.from({ length: 200 }, () => pacing.turn('w', PACE, NEVER)));
    const out = turns.filter(({ kind }) => kind === 'go').length;
    expect(out).toBeGreaterThan(16);
    const away = turns.flatMap((turn) => (turn.kind === 'full' ? turn.delay : []));
    expect(away.length).toBe(200 - out);
    expect(new Set(away).size).toBe(away.length);
    expect(Math.max(...away)).toBeGreaterThan(3_000);
  });

  it('lets out no more than before where answers stay away', async () => {
    const pacing = new SubmitPacing(fleet());
    const [first] = await Promise.all([pacing.turn('w', PACE, NEVER), pacing.turn('w', PACE, NEVER)]);
    if (first?.kind === 'go') {
      first.took.accepted();
      first.took.end();
    }
    await sleep(1_100); // longer than an answer that took no time may stay away; the second has none
    const turns = await Promise.all(Array.from({ length: 60 }, () => pacing.turn('w', PACE, NEVER)));
    expect(turns.filter(({ kind }) => kind === 'go').length).toBe(15);
  });

  it.each(['before the first answer', 'after a submit without one'])(
    'lets out no more than a few %s: what hangs would be many that nobody knows of',
    async (when) => {
      const pacing = new SubmitPacing(fleet());
      if (when !== 'before the first answer') {
        const [first, second] = await Promise.all([1, 2].map(() => pacing.turn('w', PACE, NEVER)));
        for (const turn of [first, second]) if (turn?.kind !== 'go') throw new Error('held back');
        if (first?.kind === 'go') first.took.accepted();
        if (second?.kind === 'go') second.took.unanswered();
        for (const turn of [first, second]) if (turn?.kind === 'go') turn.took.end();
      }
      const turns = await Promise.all(Array.from({ length: 60 }, () => pacing.turn('w', PACE, NEVER)));
      expect(turns.filter(({ kind }) => kind === 'go').length).toBe(16);
    },
  );

  it('gives the place of a canceled submit to the next one', async () => {
    const pacing = new SubmitPacing(fleet());
    const took = [];
    for (let i = 0; i < 16; i++) took.push(await pacing.turn('w', PACE, NEVER));
    const canceled = pacing.turn('w', PACE, Promise.reject(new Error('canceled')));
    await expect(canceled).rejects.toThrow('canceled');
    const waiting = pacing.turn('w', PACE, NEVER);
    const [first] = took;
    if (first?.kind === 'go') first.took.end();
    expect(await waiting).toMatchObject({ kind: 'go' });
  });
});
