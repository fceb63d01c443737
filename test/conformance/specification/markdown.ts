import { basename } from 'node:path';
import { inputSchema, isAssumed } from '../../../src/api/models/json-schema.ts';
import { MODEL_IDS, MODELS, type ModelId } from '../../../src/api/models/registry.ts';
import { casesFor } from '../cases.ts';
import { SPECIFICATION_FIELDS } from '../specification-fields.ts';
import { casesAbout, nameOf } from './completeness.ts';
import { fieldProofs, rowsOfModel } from './models.ts';
import type { Proof, Row, Section } from './row.ts';
import { SECTIONS } from './sections.ts';

const INTRODUCTION = `# Coverage of the API specification

Each statement of the API specification, and the files of the tests that prove it. \`npm run specification\` writes this page from \`test/conformance/specification/\`, where each statement has the titles of its tests. With \`-- --check\` it fails when such a test does not exist, when a part of the contract has no statement, or when the page is not current.

What the specification does not show is assumed: field names are marked below, everything else is a value in [\`assumptions.ts\`](emulator.md#what-the-specification-does-not-show).
`;

/** The whole page. */
export function coveragePage(): string {
  return [
    INTRODUCTION,
    ...SECTIONS.before.map(sectionText),
    '## Models\n',
    ...statements(SECTIONS.models.rows),
    `\nEach field is tried at its limits and just outside of them (${proofText(MODEL_IDS.flatMap(fieldProofs))}). \`npm run starter -- models <id>\` shows the limits; bold fields are required. "Hinted at": the specification only suggests the rule, and \`assumedRules\` drops it.\n`,
    table(
      ['model', 'fields that are shown', 'fields with assumed names', 'values within', 'inputs outside'],
      MODEL_IDS.map(fieldsOf),
    ),
    ...MODEL_IDS.flatMap(modelText),
    ...SECTIONS.after.map(sectionText),
  ].join('\n');
}

function sectionText({ heading, intro, rows }: Section): string {
  const text = intro === undefined ? '' : `${intro}\n\n`;
  return `## ${heading}\n\n${text}${statements(rows).join('\n')}\n`;
}

function fieldsOf(id: ModelId): string[] {
  const model = MODELS[id];
  const cases = casesFor(model);
  const properties = inputSchema(model).properties ?? {};
  const fields = SPECIFICATION_FIELDS[id].map((field) => {
    const name = nameOf(field);
    const isRequired = field.startsWith(`${name}!`);
    const text = isRequired ? `**\`${name}\`**` : `\`${name}\``;
    return { text, isAssumed: isAssumed(properties[name] ?? {}), ...casesAbout(cases, name) };
  });
  const named = (assumed: boolean): string =>
    fields.flatMap(({ text, isAssumed }) => (isAssumed === assumed ? text : [])).join(', ');
  const sum = (of: 'inside' | 'outside'): string =>
    String(fields.reduce((total, field) => total + field[of], 0));
  return [id, named(false), named(true), sum('inside'), sum('outside')];
}

function modelText(id: ModelId): string[] {
  const rows = rowsOfModel(id);
  return rows.length === 0 ? [] : [`### ${id}\n\n${statements(rows).join('\n')}\n`];
}

/** A list in which statements that follow each other and have the same tests share an item. */
function statements(rows: readonly Row[]): string[] {
  const items: { says: string[]; proof: string }[] = [];
  for (const { says, proofs } of rows) {
    const proof = proofText(proofs);
    const last = items.at(-1);
    if (last?.proof === proof) last.says.push(escaped(says));
    else items.push({ says: [escaped(says)], proof });
  }
  return items.map(({ says, proof }) => `- ${says.join('. ')} (${proof})`);
}

function proofText(proofs: readonly Proof[]): string {
  const files = new Set(proofs.map(({ file }) => file));
  return [...files].map((file) => `[${basename(file, '.test.ts')}](../${file})`).join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}

/** A star begins an emphasis. */
function escaped(text: string): string {
  return text.replaceAll('*', '\\*');
}
