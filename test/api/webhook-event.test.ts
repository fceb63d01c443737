import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EVENT_STATES,
  EVENT_TYPES,
  type EventType,
  TERMINAL_EVENTS,
} from '../../src/api/events/event-types.ts';
import { webhookEventSchema } from '../../src/api/events/webhook-event.ts';

const prediction = {
  id: 't1',
  state: 'queued',
  status: 'queued',
  input: { prompt: 'a fox' },
  template: null,
  error: null,
  logs: null,
  created_at: '2026-02-28T12:00:00.000Z',
  started_at: null,
  completed_at: null,
  workspace: 'default',
  owner: { id: 1, email: 'a@b.example', name: 'A', avatar: 'https://b.example/a.png' },
  artifacts: [
    { documentId: 'd1', url: 'https://b.example/a.png', tags: [], asset: { formats: {} }, like_count: 0 },
  ],
  credits: { available: 10, usage: 8 },
};

/** An event that fits, but for the fields that are changed. */
function event(type: EventType, more: object = {}): unknown {
  const state = EVENT_STATES[type];
  const failed = type === 'task.failed' ? { error: { code: 'X', message: 'x' }, artifacts: [] } : {};
  return { event: type, prediction: { ...prediction, state, status: state, ...failed, ...more } };
}
const fits = (value: unknown) => webhookEventSchema.safeParse(value).success;
const created = (more: object) => fits(event('task.created', more));

describe('the contract of an event', () => {
  it('has five types, three of which are terminal, each with its state', () => {
    expect(EVENT_STATES).toEqual({
      'task.created': 'queued',
      'task.started': 'running',
      'task.completed': 'succeeded',
      'task.failed': 'failed',
      'task.canceled': 'canceled',
    });
    expect([...TERMINAL_EVENTS]).toEqual(['task.completed', 'task.failed', 'task.canceled']);
    for (const type of EVENT_TYPES) expect([type, fits(event(type))]).toEqual([type, true]);
    expect(fits({ event: 'task.paused', prediction })).toBe(false);
  });

  it('has the state of its type, twice', () => {
    expect(created({ state: 'running', status: 'running' })).toBe(false);
    expect(created({ status: 'running' })).toBe(false);
  });

  it('has an error and no artifacts when the task failed', () => {
    expect(fits(event('task.failed', { error: null }))).toBe(false);
    expect(fits(event('task.failed', { error: { code: 'X' } }))).toBe(false);
    expect(fits(event('task.failed', { artifacts: prediction.artifacts }))).toBe(false);
  });

  it('has every field of the payload; those that may be null may not be missing', () => {
    // Of logs the API specification says "any or null": nothing can be wrong with them.
    for (const name of Object.keys(prediction).filter((one) => one !== 'logs')) {
      expect([name, created({ [name]: undefined })]).toEqual([name, false]);
    }
    const nullable = ['template', 'error', 'created_at', 'started_at', 'completed_at', 'workspace', 'owner'];
    for (const name of nullable) expect([name, created({ [name]: null })]).toEqual([name, true]);
    expect(created({ logs: ['line'] })).toBe(true);
    expect(created({ owner: { ...prediction.owner, id: 1.5 } })).toBe(false);
    expect(created({ credits: { available: 10 } })).toBe(false);
  });

  it.each<[field: string, wrong: unknown[]]>([
    ['id', ['', 7, null]],
    ['state', ['paused', null]],
    ['input', [null, 'text', [1]]],
    ['template', ['text', 7, undefined]],
    ['error', ['text', { code: '', message: 'x' }, { code: 'X', message: 7 }, { message: 'x' }]],
    ['workspace', [7, {}]],
    ['owner', ['text', {}]],
    ['artifacts', [null, {}, ['text']]],
    ['credits', [null, { available: '10', usage: 8 }, { available: 10, usage: '8' }, { usage: 8 }]],
  ])('has its %s with its type', (field, wrong) => {
    for (const value of wrong) expect([value, created({ [field]: value })]).toEqual([value, false]);
  });

  it('has the template that its task was made from, with whatever it tells, or null', () => {
    expect(created({ template: { id: 'tpl', name: 'Posters' } })).toBe(true);
    expect(created({ template: {} })).toBe(true);
    expect(created({ template: null })).toBe(true);
  });

  it('has an owner with an id, an address, a name and perhaps a picture', () => {
    const owner = (more: object) => created({ owner: { ...prediction.owner, ...more } });
    expect([owner({}), owner({ avatar: null })]).toEqual([true, true]);
    for (const name of ['id', 'email', 'name', 'avatar'])
      expect([name, owner({ [name]: undefined })]).toEqual([name, false]);
    const wrong = [{ id: '1' }, { email: 7 }, { name: null }, { avatar: '/a.png' }, { avatar: 7 }];
    for (const more of wrong) expect([more, owner(more)]).toEqual([more, false]);
  });

  it('has artifacts whose addresses and tags are such, where they are there', () => {
    const artifact = (one: unknown) => created({ artifacts: [one] });
    const right = [
      {},
      { asset: null },
      { asset: {} },
      { asset: { url: 'https://b.example/a' } },
      { tags: [1, 'x'] },
    ];
    for (const one of right) expect([one, artifact(one)]).toEqual([one, true]);
    const wrong = [
      { url: '/a' },
      { url: 7 },
      { url: null },
      { tags: 'x' },
      { tags: null },
      { asset: 'x' },
      { asset: { url: '/a' } },
    ];
    for (const one of wrong) expect([one, artifact(one)]).toEqual([one, false]);
  });

  it('says what is wrong with it, and where', () => {
    const told = (value: unknown) =>
      (webhookEventSchema.safeParse(value).error?.issues ?? []).map(({ path, message }) => [
        path.join('.'),
        message,
      ]);
    expect(told(event('task.created', { state: 'running', status: 'queued' }))).toEqual([
      ['prediction.state', 'must be queued for task.created'],
      ['prediction.status', 'must be the same as state'],
    ]);
    expect(told(event('task.failed', { error: null, artifacts: [{}] }))).toEqual([
      ['prediction.error', 'is missing for a failed task'],
      ['prediction.artifacts', 'must be empty for a failed task'],
    ]);
    expect(told(event('task.completed', { error: null, artifacts: [{}] }))).toEqual([]);
  });

  it.each(['created_at', 'started_at', 'completed_at'])(
    'has %s as a time that the calendar knows',
    (name) => {
      const times = [
        '2026-02-28T12:00:00Z',
        '2028-02-29T12:00:00.5+02:00',
        '2026-02-29T12:00:00Z',
        '2026-02-28',
        7,
      ];
      expect(times.map((time) => created({ [name]: time }))).toEqual([true, true, false, false, false]);
    },
  );

  it('keeps further properties at every level', () => {
    const more = event('task.completed', {
      template: { id: 'x', extra: 1 },
      owner: { ...prediction.owner, extra: 1 },
      artifacts: [{ extra: { deep: 1 } }],
      extra: 1,
    });
    expect(webhookEventSchema.parse(more)).toEqual(more);
  });

  it('is decided about without a crash, whatever comes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(prediction)), (value, name) => {
        expect(fits(value)).toBe(false);
        created({ [name]: value });
      }),
    );
  });
});
