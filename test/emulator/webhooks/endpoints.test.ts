import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Changes } from '../../../emulator/src/storage/changes.ts';
import { sqliteStorage } from '../../../emulator/src/storage/sqlite-storage.ts';
import { activeSecrets, type Endpoint, Endpoints } from '../../../emulator/src/webhooks/endpoints.ts';
import { EVENT_TYPES } from '../../../src/api/events/event-types.ts';

const NOW = 1_000_000;
const GIVEN = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const url = 'http://hooks.example/';

const storage = sqliteStorage(':memory:');
const changes = new Changes();
let endpoints: Endpoints;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  storage.clear();
  endpoints = new Endpoints({ storage, changes });
});
afterEach(() => void vi.useRealTimers());

/** Each secret's value, or `made` for one that the emulator made, with its times. */
function secretsOf({ secrets }: Endpoint): unknown[] {
  return secrets.map(({ value, made, ...times }) => ({ ...times, value: made ? 'made' : value }));
}

test('an endpoint wants all events and has a secret made for it, unless it is told otherwise', () => {
  const told: unknown[] = [];
  const unsubscribe = changes.subscribe((change) => told.push(change));
  const plain = endpoints.create({ workspace: 'a', url });
  unsubscribe();
  expect(plain).toEqual({
    id: expect.stringMatching(/^ep_/),
    workspace: 'a',
    url,
    events: EVENT_TYPES,
    enabled: true,
    secrets: [{ value: expect.stringMatching(/^whsec_.{44}$/), made: true, createdAt: NOW, expiresAt: null }],
    createdAt: NOW,
  });
  expect(told).toEqual([{ kind: 'endpoint', id: plain.id }]);
  const other = { workspace: 'a', url, events: ['task.failed'] as const, enabled: false };
  const { secret, ...more } = { ...other, secret: GIVEN };
  expect(endpoints.create({ ...other, secret })).toMatchObject({
    ...more,
    secrets: [{ value: GIVEN, made: false, createdAt: NOW, expiresAt: null }],
  });
});

test('what can be no endpoint is refused, and said why', () => {
  expect(() => endpoints.create({ workspace: 'a', url, secret: 'short' })).toThrow(
    new RangeError('A webhook secret must be base64 of at least 24 bytes, with or without whsec_'),
  );
  expect(() => endpoints.create({ workspace: 'a', url: 'nowhere' })).toThrow(
    new RangeError('The URL of a webhook endpoint must be an http(s) URL: nowhere'),
  );
  expect(endpoints.all()).toEqual([]);
});

test('an event is wanted by the enabled endpoints of its workspace that name it', () => {
  expect(endpoints.wanting('a', 'task.failed')).toEqual([]);
  const all = endpoints.create({ workspace: 'a', url });
  const failures = endpoints.create({ workspace: 'a', url, events: ['task.failed'] });
  endpoints.create({ workspace: 'a', url, enabled: false });
  endpoints.create({ workspace: 'b', url });
  expect(endpoints.wanting('a', 'task.failed')).toEqual([all, failures]);
  expect(endpoints.wanting('a', 'task.created')).toEqual([all]);
});

test('a rotated secret signs until its time is over, and is forgotten with the next rotation', () => {
  const endpoint = endpoints.create({ workspace: 'a', url, secret: GIVEN });
  const second = endpoints.rotate(endpoint, 100);
  vi.setSystemTime(NOW + 50);
  const third = endpoints.rotate(endpoint, 100, `${GIVEN}AAAA`);
  expect(third).toBe(`${GIVEN}AAAA`);
  expect(secretsOf(endpoint)).toEqual([
    { value: third, createdAt: NOW + 50, expiresAt: null },
    { value: 'made', createdAt: NOW, expiresAt: NOW + 150 },
    { value: GIVEN, createdAt: NOW, expiresAt: NOW + 100 },
  ]);
  expect(activeSecrets(endpoint, NOW + 99)).toEqual([third, second, GIVEN]);
  expect(activeSecrets(endpoint, NOW + 100)).toEqual([third, second]);
  expect(activeSecrets(endpoint, NOW + 150)).toEqual([third]);

  vi.setSystemTime(NOW + 100);
  const fourth = endpoints.rotate(endpoint, 0);
  expect(endpoint.secrets.map(({ value }) => value)).toEqual([fourth, third, second]);
  expect(activeSecrets(endpoint, NOW + 100)).toEqual([fourth, second]);
  expect(new Endpoints({ storage, changes }).get(endpoint.id)).toEqual(endpoint);
});
