import { expect, it } from 'vitest';
import { RecordsClock } from '../../src/webhooks/routing/records-clock.ts';

const NOW = Date.parse('2026-11-25T10:00:00.000Z');

/** The clock, and tasks that it is told of: by when each submit began, and when the record says that it was created. */
class Told {
  readonly clock = new RecordsClock();
  #count = 0;

  task({ began = NOW, created }: { began?: number; created: number }): number {
    const task = { workspace: 'default', taskId: `t${(this.#count += 1)}` };
    this.clock.submitted(task, began);
    this.clock.told(task, new Date(created).toISOString());
    return this.clock.behind;
  }
}

it('the clock of records is known to be behind by a task that was created before its submit began', () => {
  expect(new Told().clock.behind).toBe(0);
  expect(new Told().task({ created: NOW - 60_000 + 300 })).toBe(59_700);
});

it('a clock that is right, or ahead, is not behind, however slow a submit was', () => {
  for (const created of [NOW, NOW + 200, NOW + 20_000, NOW + 60_000])
    expect(new Told().task({ created })).toBe(0);
});

it('of several clocks the one that is furthest behind counts, by the quickest of its submits', () => {
  const told = new Told();
  told.task({ created: NOW - 60_000 + 8_000 });
  told.task({ created: NOW - 60_000 + 100 });
  expect(told.task({ created: NOW + 100 })).toBe(59_900);
});

it('a clock that is set right is believed after sixteen tasks', () => {
  const told = new Told();
  told.task({ created: NOW - 60_000 });
  for (let n = 0; n < 15; n += 1) expect(told.task({ created: NOW })).toBe(60_000);
  expect(told.task({ created: NOW })).toBe(0);
});

it('when an event comes tells nothing, nor does one of a task that this process has not submitted', () => {
  const clock = new RecordsClock();
  const task = { workspace: 'default', taskId: 't' };
  const created = new Date(NOW - 60_000).toISOString();
  clock.told(task, created);
  clock.submitted(task, NOW);
  clock.told({ ...task, workspace: 'studio' }, created);
  expect(clock.behind).toBe(0);
  clock.told(task, created);
  expect(clock.behind).toBe(60_000);
});

it.each([undefined, null, 7, 'yesterday', new Date(NOW - 86_400_000).toISOString()])(
  'a creation of %s tells nothing',
  (created) => {
    const clock = new RecordsClock();
    clock.submitted({ workspace: 'default', taskId: 't' }, NOW);
    clock.told({ workspace: 'default', taskId: 't' }, created);
    expect(clock.behind).toBe(0);
  },
);

it('each task tells once, by the first event that tells of its creation', () => {
  const clock = new RecordsClock();
  const task = { workspace: 'default', taskId: 't' };
  clock.submitted(task, NOW);
  clock.told(task, null);
  clock.told(task, new Date(NOW - 1_000).toISOString());
  clock.told(task, new Date(NOW - 5_000).toISOString());
  expect(clock.behind).toBe(1_000);
});
