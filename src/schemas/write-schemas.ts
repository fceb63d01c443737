import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeModels } from '../api/models/describe.ts';
import { modelTypes } from './model-types.ts';
import { REQUEST_SCHEMAS } from './request-schemas.ts';

/**
 * `npm run schemas`: writes one JSON Schema a model, and one for the argument of each workflow, to docs/schemas, for
 * other languages and editors; and the models' inputs as TypeScript. With `--check` it writes nothing and fails when a
 * file is missing, outdated or belongs to nothing.
 */
const DIRECTORY = fileURLToPath(new URL('../../docs/schemas/', import.meta.url));

const TYPES = fileURLToPath(new URL('../api/models/model-types.ts', import.meta.url));

const schemas = new Map(
  [
    ...describeModels().map(({ id, schema }) => [`${id}.json`, schema] as const),
    ...Object.entries(REQUEST_SCHEMAS),
  ].map(([file, schema]) => [file, `${JSON.stringify(schema, undefined, 2)}\n`]),
);

if (process.argv.includes('--check')) {
  const stale = await staleFiles();
  if (stale.length > 0) {
    console.error(`not current (npm run schemas writes it): ${stale.join(', ')}`);
    process.exitCode = 1;
  }
} else {
  await mkdir(DIRECTORY, { recursive: true });
  await Promise.all([...schemas].map(([file, text]) => writeFile(`${DIRECTORY}${file}`, text)));
  await writeFile(TYPES, modelTypes());
  console.error(`${schemas.size} schemas written to docs/schemas, and the models' types`);
}

async function staleFiles(): Promise<string[]> {
  const present = await readdir(DIRECTORY).catch(() => []);
  const outdated = await Promise.all(
    [...schemas].map(async ([file, text]) => {
      const written = await readFile(`${DIRECTORY}${file}`, 'utf8').catch(() => undefined);
      return written === text ? [] : [file];
    }),
  );
  const types = await readFile(TYPES, 'utf8').catch(() => undefined);
  return [
    ...(types === modelTypes() ? [] : ['src/api/models/model-types.ts']),
    ...outdated.flat(),
    ...present.filter((file) => !schemas.has(file)),
  ];
}
