import { expect, it } from 'vitest';
import { describeStart } from '../../src/client/starting/describe-start.ts';

const block = (value: unknown): string => `\n\n\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``;

it('a generation is shown by its model and its prompt, with its template, workspace and input', () => {
  const input = { prompt: 'a red fox' };
  expect(describeStart({ kind: 'generation', request: { model: 'image-l', input } })).toEqual({
    staticSummary: 'image-l: a red fox',
    staticDetails: `**image-l** in workspace \`default\`${block(input)}`,
  });
  const request = { model: 'image-l', input: {}, templateId: 'tpl_a', workspace: 'film' };
  expect(describeStart({ kind: 'generation', request }).staticDetails).toBe(
    `**image-l** from template \`tpl_a\` in workspace \`film\`${block({})}`,
  );
});

it('a pipeline is shown by its models and its first prompt, with its steps', () => {
  const steps = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `s${index}`,
        { model: 'image-l', input: index === 0 ? { n: 1 } : { prompt: `fox ${index}` } },
      ]),
    );
  expect(describeStart({ kind: 'pipeline', request: { steps: steps(1) } })).toEqual({
    staticSummary: 'image-l',
    staticDetails: `Pipeline of 1 step in workspace \`default\`${block(steps(1))}`,
  });
  expect(describeStart({ kind: 'pipeline', request: { steps: steps(6), workspace: 'film' } })).toEqual({
    staticSummary: `${Array(6).fill('image-l').join(' → ')}: fox 1`,
    staticDetails: `Pipeline of 6 steps in workspace \`film\`${block(steps(6))}`,
  });
  expect(describeStart({ kind: 'pipeline', request: { steps: steps(8) } }).staticSummary).toBe(
    `${Array(6).fill('image-l').join(' → ')} → 2 more: fox 1`,
  );
});

it('of a large input the beginning is shown', () => {
  const shownOf = (length: number): string => {
    const request = { model: 'image-l', input: { prompt: 'x'.repeat(length) } };
    return describeStart({ kind: 'generation', request }).staticDetails;
  };
  const around = JSON.stringify({ prompt: '' }, undefined, 2).length;
  expect(shownOf(6_000 - around)).toMatch(/x"\n\}\n```$/);
  expect(shownOf(6_001 - around)).toMatch(/x"\n\n…\n```$/);
});
