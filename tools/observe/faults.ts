import type { TestDarkroom } from './darkroom-under-watch.ts';

export interface Fault {
  alert: string;
  /** Makes it last. @returns what ends it */
  make: (darkroom: TestDarkroom) => Promise<() => unknown>;
}

/** For each alert what it is for, made with the emulator. */
export const FAULTS: readonly Fault[] = [
  {
    alert: 'DarkroomDecisionNeeded',
    async make({ fault, start }) {
      const end = fault({ on: 'submit', match: { promptIncludes: 'whose' }, fault: { kind: 'lost-before' } });
      const run = await start('whose', { reconcile: { wait: '100ms', otherwise: 'ask' } });
      return async () => {
        end();
        await run.executeUpdate('decide', { args: [{ action: 'fail' }] });
      };
    },
  },
  {
    alert: 'DarkroomOutOfCredits',
    async make({ fault, start }) {
      const refusal = { kind: 'error', code: 'INSUFFICIENT_CREDITS' } as const;
      const end = fault({ on: 'submit', match: { promptIncludes: 'poor' }, fault: refusal });
      const run = await start('poor');
      return async () => {
        end();
        await run.executeUpdate('checkNow');
        await run.result();
      };
    },
  },
  {
    alert: 'DarkroomStoringHeldUp',
    async make({ fault, start }) {
      const end = fault({ on: 'file', fault: { kind: 'expired', status: 503 } });
      const run = await start('held');
      return async () => {
        end();
        await run.executeUpdate('checkNow');
        await run.result();
      };
    },
  },
  {
    alert: 'DarkroomRecordsUnreadable',
    async make({ fault, start }) {
      const end = fault({ on: 'get', fault: { kind: 'error', code: 'UNAUTHORIZED' } });
      const run = await start('unread');
      return async () => {
        end();
        await run.executeUpdate('checkNow');
        await run.result();
      };
    },
  },
  {
    alert: 'DarkroomSubmitsFail',
    async make({ fault, start }) {
      const away = { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } as const;
      const end = fault({ on: 'submit', match: { promptIncludes: 'away' }, fault: away });
      const run = await start('away');
      return async () => {
        end();
        await run.result();
      };
    },
  },
  {
    alert: 'DarkroomWebhooksMissing',
    async make({ sendWebhooks, start, until }) {
      sendWebhooks(false);
      const over = new AbortController();
      const traffic = (async () => {
        while (!over.signal.aborted) await (await start('unheard')).result();
      })();
      await until('DarkroomWebhooksMissing');
      return async () => {
        sendWebhooks(true);
        over.abort();
        await traffic;
        await (await start('heard')).result();
      };
    },
  },
  {
    alert: 'DarkroomDeliveriesRefused',
    async make({ deliverBadly }) {
      const over = new AbortController();
      const traffic = (async () => {
        while (!over.signal.aborted) await deliverBadly();
      })();
      return async () => {
        over.abort();
        await traffic;
      };
    },
  },
  {
    alert: 'DarkroomTemporalAway',
    async make({ cutTemporal }) {
      return cutTemporal();
    },
  },
];
