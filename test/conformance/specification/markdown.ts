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

Every statement of the API specification with the files of the tests that prove it. \`npm run specification\` writes this
page from \`test/conformance/specification/\`, where each statement has the titles of its tests; with \`-- --check\` it fails
when such a test does not exist, when a part of the contract has no row, or when the page is not current.

What the specification does not show is assumed: field names are marked in the schemas, everything else is a value in
\`emulator/src/assumptions.ts\`.
`;

/** The whole page. */
export function coveragePage(): string {
  return [
    INTRODUCTION,
    ...SECTIONS.before.map((section) => sectionText(section)),
    '## Models\n',
    `Each field of a model is tried at its limits and just outside of them: ${proofText(MODEL_IDS.flatMap(fieldProofs))}.\n`,
    sectionText(SECTIONS.models, '###'),
    ...MODEL_IDS.map(modelText),
    ...SECTIONS.after.map((section) => sectionText(section)),
  ].join('\n');
}

function sectionText({ heading, intro, rows }: Section, level = '##'): string {
  const text = intro === undefined ? '' : `${intro}\n\n`;
  return `${level} ${heading}\n\n${text}${rowTable(rows)}`;
}

function modelText(id: ModelId): string {
  const model = MODELS[id];
  const cases = casesFor(model);
  const properties = inputSchema(model).properties ?? {};
  const fields = SPECIFICATION_FIELDS[id].map((field) => {
    const name = nameOf(field);
    const { inside, outside } = casesAbout(cases, name);
    const limits = field.slice(field.indexOf(' ') + 1);
    const [, preset] = /^\w+=(\S+)/.exec(field) ?? [];
    const allowed = preset === undefined ? limits : `${limits}; default ${preset}`;
    const shown = isAssumed(properties[name] ?? {}) ? 'assumed' : 'shown';
    const required = field.startsWith(`${name}!`) ? 'yes' : '';
    return [`\`${name}\``, required, shown, allowed, String(inside), String(outside)];
  });
  const rows = rowsOfModel(id);
  return [
    `### ${id}: ${model.title}\n`,
    table(['field', 'required', 'name', 'allowed', 'values tried within', 'inputs just outside'], fields),
    ...(rows.length === 0 ? [] : [rowTable(rows)]),
  ].join('\n');
}

function rowTable(rows: readonly Row[]): string {
  return table(
    ['the specification says', 'proved by'],
    rows.map(({ says, proofs }) => [says, proofText(proofs)]),
  );
}

function proofText(proofs: readonly Proof[]): string {
  const files = new Set(proofs.map(({ file }) => file));
  return [...files].map((file) => `[${basename(file, '.test.ts')}](../${file})`).join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cellText).join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}

/** Pipes end a cell, and a star begins an emphasis. */
function cellText(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*');
}
