import { basename } from 'node:path';
import { MODEL_IDS, type ModelId } from '../../../src/api/models/registry.ts';
import { BEHAVIOUR } from './model-behaviour.ts';
import { fieldProofs, rulesOfModel } from './models.ts';
import type { Proof, Row, Section } from './row.ts';
import { SECTIONS } from './sections.ts';

const RULES = MODEL_IDS.flatMap(rulesOfModel);

const INTRODUCTION = `# Coverage of the API specification

Each statement of the API specification, and the test files that prove it: [a command](testing.md#each-row-of-the-coverage) makes each false. \`npm run specification\` writes this page. [These values](emulator.md#what-the-specification-does-not-show) are assumed, and field names.
`;

/** The whole page. */
export function coveragePage(): string {
  return [
    INTRODUCTION,
    ...SECTIONS.before.map(sectionText),
    '## Models\n',
    ...statements(SECTIONS.models.rows),
    `- Each field at its limits and just outside (${proofText(MODEL_IDS.flatMap(fieldProofs))}), and the rules between fields (${proofText(RULES.flatMap(({ proofs }) => proofs))}). \`npm run starter -- models <id>\` shows both, and what is assumed of them`,
    ...MODEL_IDS.flatMap(modelItems),
    '',
    ...SECTIONS.after.map(sectionText),
  ].join('\n');
}

function sectionText({ heading, intro, rows }: Section): string {
  const text = intro === undefined ? '' : `${intro}\n\n`;
  return `## ${heading}\n\n${text}${statements(rows).join('\n')}\n`;
}

function modelItems(id: ModelId): string[] {
  const items = itemsOf(BEHAVIOUR[id] ?? []);
  return items.length === 0 ? [] : [`- ${id}: ${items.join('; ')}`];
}

function statements(rows: readonly Row[]): string[] {
  return itemsOf(rows).map((item) => `- ${item}`);
}

/** Statements that have the same tests share an item. */
function itemsOf(rows: readonly Row[]): string[] {
  const groups = Map.groupBy(rows, ({ proofs }) => proofText(proofs));
  return [...groups].map(
    ([proof, group]) => `${group.map(({ says }) => escaped(says)).join('. ')} (${proof})`,
  );
}

function proofText(proofs: readonly Proof[]): string {
  const files = new Set(proofs.map(({ file }) => file));
  return [...files].map((file) => `[${basename(file, '.test.ts')}](../${file})`).join(', ');
}

/** A star begins an emphasis. */
function escaped(text: string): string {
  return text.replaceAll('*', '\\*');
}
