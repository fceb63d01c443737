import { Client, Connection } from '@temporalio/client';
import { Registry } from 'prom-client';
import { afterEach, expect, inject, it, onTestFinished, vi } from 'vitest';
import { Troubles } from '../../src/activities/troubles.ts';
import { watchTemporal } from '../../src/worker/watch-temporal.ts';
import { eventually } from '../eventually.ts';

afterEach(() => void vi.useRealTimers());

it('a Temporal that does not answer is told of, and that it is over', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const lines: string[] = [];
  const log = { warn: (_: object, message: string) => void lines.push(message) };
  const troubles = new Troubles(new Registry(), log, 0);
  /** What a worker with a connection to that address notices. */
  const watched = (address: string): void => {
    // Without the client's own tries, which go on when the test has ended.
    const connection = Connection.lazy({ address, connectTimeout: 1_000, interceptors: [] });
    const client = new Client({ connection }) as Client & { connection: Connection }; // it was given that one
    const stop = watchTemporal(client, troubles);
    onTestFinished(async () => {
      stop();
      await connection.close();
    });
  };
  const look = (): void => void vi.advanceTimersByTime(15_000);
  watched('127.0.0.1:9');
  look();
  await eventually(() => expect(lines).toEqual([expect.stringMatching(/^Temporal does not answer: /)]));
  watched(inject('temporalAddress'));
  look();
  await eventually(() => {
    expect(lines.at(-1)).toMatch(/^over after .*: Temporal does not answer$/);
  });
});
