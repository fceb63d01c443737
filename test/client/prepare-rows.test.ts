import { describe, expect, it } from 'vitest';
import { type PreparedRows, prepareRows, RowsRefused } from '../../src/client/batch/prepare-rows.ts';
import type { PipelineRequest } from '../../src/contract/pipeline.ts';

type Row = Record<string, unknown>;

const still = (prompt: unknown): PipelineRequest => ({
  steps: { still: { model: 'image-l', input: { prompt } } },
});
const PIPELINE = still('a {{animal}} in {{place}}');
const FOX = { id: 'fox', animal: 'fox', place: 'snow' };

function prepare(rows: readonly Row[], keyColumn: string | undefined = 'id', of = PIPELINE): PreparedRows {
  const given = rows.map((values, index) => ({ values, place: `line ${index + 2}` }));
  return prepareRows(of, given, { keyColumn, keyOption: 'keyColumn', models: {} });
}

/** Of the column's values, or of what is in the rows. */
const byContent = (rows: readonly Row[]): string[] => {
  const given = rows.map((values, index) => ({ values, place: `line ${index + 2}` }));
  return prepareRows(PIPELINE, given, { keyOption: 'keyColumn', models: {} }).rows.map(({ id }) => id);
};

describe('rows', () => {
  it('have the ids of a column, which may be numbers, and digests of what they make', () => {
    const { rows } = prepare([FOX, { ...FOX, id: 7 }, { ...FOX, id: 'owl', animal: 'owl' }]);
    expect(rows.map(({ id, values }) => [id, values['animal']])).toEqual([
      ['fox', 'fox'],
      ['7', 'fox'],
      ['owl', 'owl'],
    ]);
    const others = prepare([FOX], 'id', still('one {{animal}} in {{place}}')).rows;
    expect(new Set([...rows, ...others].map(({ digest }) => digest)).size).toBe(4);
  });

  it('have ids of what is in them where no column is named', () => {
    const [fox, owl] = byContent([FOX, { ...FOX, animal: 'owl' }]);
    expect(fox).not.toBe(owl);
    expect(byContent([{ place: 'snow', animal: 'fox', id: 'fox' }])).toEqual([fox]);
    expect(() => byContent([FOX, FOX])).toThrow(
      'line 2 and line 3 are equal: name a column with different values by keyColumn',
    );
  });

  it.each<[what: string, rows: Row[], message: string]>([
    ['the same id', [FOX, { ...FOX, place: 'sand' }], 'line 2 and line 3 have the same id: fox'],
    [
      'an id that names no workflow',
      [{ ...FOX, id: 'a b' }],
      'line 2: id must be 1 to 64 letters, digits, dots, _ and -, because a workflow is named for it; got "a b"',
    ],
    ['no id', [{ animal: 'fox', place: 'snow' }], 'got undefined'],
    [
      'no column that a text names',
      [{ id: 'fox', animal: 'fox', plaace: 'x' }],
      '{{place}} names no column of the rows; did you mean plaace?',
    ],
    [
      'no value for one',
      [FOX, { id: 'owl', animal: 'owl' }],
      'line 3 has no place, and {{place}} stands for its value',
    ],
  ])('with %s are refused', (_, rows, message) => {
    expect(() => prepare(rows)).toThrow(message);
  });

  it('that make a wrong request are refused, each by its place, the first twenty of them', () => {
    const rows = Array.from({ length: 30 }, (_, index) => ({
      id: `r${index}`,
      animal: index === 1 ? 'fox' : 5,
    }));
    const wrong = (): unknown => prepare(rows, 'id', still({ $param: 'animal' }));
    expect(wrong).toThrow(RowsRefused);
    expect(wrong).toThrow(/^line 2: .*prompt/);
    const lines = rows.flatMap((_, index) => (index === 1 ? [] : `line ${index + 2}`)).slice(0, 20);
    const errors = lines.map((line) => ({
      path: expect.stringMatching(`^${line}: `),
      message: expect.any(String),
    }));
    expect(wrong).toThrow(expect.objectContaining({ errors }));
  });
});
