import { expect, test } from 'vitest';
import { Templates } from '../../../emulator/src/accounts/templates.ts';
import { keeping } from './keeping.ts';

test('a template fits its model and its workspace, where it names any', () => {
  const templates = new Templates(keeping());
  const fits = (model: string | null, workspace: string | null): boolean => {
    const template = templates.create({ name: 'one', model, workspace, input: {} });
    return templates.find(template.id, 'image-l', 'a') === template;
  };
  expect([
    [fits(null, null), fits('image-l', null), fits(null, 'a'), fits('image-l', 'a')],
    [fits('image-o', null), fits(null, 'b'), fits('image-o', 'a'), fits('image-l', 'b')],
    templates.find('none', 'image-l', 'a'),
  ]).toEqual([[true, true, true, true], [false, false, false, false], undefined]);
});

test('a template gets an id unless it brings one, is told, and survives a restart', () => {
  const kept = keeping();
  const told: unknown[] = [];
  kept.changes.subscribe((change) => told.push(change));
  const templates = new Templates(kept);
  const wanted = { name: 'one', model: null, workspace: null, input: { prompt: 'x' } };
  const made = templates.create(wanted);
  expect(made).toEqual({ ...wanted, id: expect.stringMatching(/^tpl_[0-9a-f-]{36}$/) });
  expect(templates.create({ ...wanted, id: 'mine' })).toEqual({ ...wanted, id: 'mine' });
  expect(told).toEqual([
    { kind: 'template', id: made.id },
    { kind: 'template', id: 'mine' },
  ]);
  expect(new Templates(kept).all()).toEqual(templates.all());
});
