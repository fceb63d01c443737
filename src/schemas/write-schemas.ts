import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeModels } from '../api/models/describe.ts';
import { FOREIGN_TYPES } from './foreign-types.ts';
import { modelTypes } from './model-types.ts';
import { REQUEST_SCHEMAS } from './request-schemas.ts';
import { RESULT_SCHEMAS } from './result-schemas.ts';

/**
 * `npm run schemas`: writes one JSON Schema a model, one for the argument of each workflow and one for each thing that comes back, to docs/schemas, for
 * other languages and editors; and the models' inputs as TypeScript, and as Python and Go beside the examples. With `--check` it writes nothing and fails when a
 * file is missing, outdated or belongs to nothing.
 */
const DIRECTORY = fileURLToPath(new URL('../../docs/schemas/', import.meta.url));

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Texts by path in the repository. */
const types = new Map(
  Object.entries({ 'src/api/models/model-types.ts': modelTypes, ...FOREIGN_TYPES }).map(([path, write]) => [
    path,
    write(),
  ]),
);

const schemas = new Map(
  [
    ...describeModels().map(({ id, schema }) => [`${id}.json`, schema] as const),
    ...Object.entries({ ...REQUEST_SCHEMAS, ...RESULT_SCHEMAS }),
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
  await Promise.all([...types].map(([path, text]) => writeFile(`${ROOT}${path}`, text)));
  console.error(`${schemas.size} schemas written to docs/schemas, and the models' types`);
}

async function staleFiles(): Promise<string[]> {
  const present = await readdir(DIRECTORY).catch(() => []);
  const files = [...[...schemas].map(([file, text]) => [`docs/schemas/${file}`, text] as const), ...types];
  const outdated = await Promise.all(
    files.map(async ([path, text]) => {
      const written = await readFile(`${ROOT}${path}`, 'utf8').catch(() => undefined);
      return written === text ? [] : [path];
    }),
  );
  return [...outdated.flat(), ...present.filter((file) => !schemas.has(file))];
}
