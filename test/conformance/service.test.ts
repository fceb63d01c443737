import { afterAll, beforeAll, describe } from 'vitest';
import { checksOf } from './service/check.ts';
import { credits } from './service/credits.ts';
import { readSettings } from './service/environment.ts';
import { events } from './service/events.ts';
import { records } from './service/records.ts';
import { refusals } from './service/refusals.ts';
import { requests } from './service/requests.ts';
import { submits } from './service/submits.ts';
import { Target } from './service/target.ts';

/**
 * What the API specification says about a running service, over HTTP: against an emulator in this process, or
 * against the service of `CONFORMANCE_URL` (docs/testing.md). All of it is in this one file, so that one cap
 * holds for all that it spends.
 */
const settings = readSettings(process.env);
let target: Target;
beforeAll(async () => {
  target = await Target.open(settings);
});
afterAll(() => target[Symbol.asyncDispose]());

const check = checksOf(() => target, settings.patience);
describe('submits', () => {
  submits(check);
});
describe('records', () => {
  records(check);
});
describe('refusals', () => {
  refusals(check);
});
describe('credits', () => {
  credits(check);
});
describe('requests', () => {
  requests(check);
});
describe('events', () => {
  events(check);
});
