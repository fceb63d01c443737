import { readFileSync, writeFileSync } from 'node:fs';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { ROOMS, WITHOUT_CYCLES } from './rooms.ts';

const PAGE = 'docs/ARCHITECTURE.md';
const TABLE = /(?<=<!-- rooms -->\n\n)[^]*?(?=\n<!-- \/rooms -->)/;

/** They compose, each out of any room: `src/starter.ts`. */
const PROGRAMS = '^src/[^/]+[.]ts$';

const outcome = await findWrongImports();
for (const line of outcome) process.stderr.write(`${line}\n`);

const page = readFileSync(PAGE, 'utf8');
const renewed = page.replace(TABLE, () => table());
const isCheck = process.argv.includes('--check');
if (isCheck && renewed !== page) process.stderr.write(`${PAGE} is out of date: npm run rooms\n`);
if (!isCheck) writeFileSync(PAGE, renewed);
process.exit(outcome.length > 0 || (isCheck && renewed !== page) ? 1 : 0);

/** Imports, types included, that no room allows; one line each. */
async function findWrongImports(): Promise<string[]> {
  const { output } = await cruise(['src', 'emulator/src'], {
    ruleSet: { forbidden: [...ROOMS.map(ruleOf), ...WITHOUT_CYCLES.map(cycleRuleOf)] },
    validate: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'emulator/src/dashboard/page' },
    tsPreCompilationDeps: true,
    parser: 'swc', // TypeScript 7 has no API for it
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
  });
  if (typeof output === 'string') return [output];
  const { modules, summary }: ICruiseResult = output;
  if (modules.length < 100) return [`only ${modules.length} modules were read: the check has lost its way`];
  return summary.violations.map(({ from, to, rule }) => `${from} imports ${to}: ${rule.name}`);
}

function ruleOf({ folder, mayImport }: (typeof ROOMS)[number]): IForbiddenRuleType {
  const allowed = mayImport.length === 0 ? 'nothing of ours' : mayImport.join(', ');
  return {
    name: `${folder} may import ${allowed}`,
    severity: 'error',
    from: { path: within(folder), pathNot: [...inner(folder).map(within), PROGRAMS] },
    to: {
      path: ['^src/', '^emulator/', '^test/', '^bench/'],
      pathNot: [folder, ...mayImport].map((room) => within(room)),
    },
  };
}

function cycleRuleOf(folder: string): IForbiddenRuleType {
  return {
    name: `no import of ${folder} leads back to its file`,
    severity: 'error',
    from: { path: within(folder) },
    to: { circular: true },
  };
}

/** The files of a room, which may be one file. */
function within(folder: string): string {
  return `^${folder}(/|[.]ts$)`;
}

function inner(folder: string): string[] {
  return ROOMS.map((room) => room.folder).filter((other) => other.startsWith(`${folder}/`));
}

function table(): string {
  const rows = ROOMS.map(({ folder, holds }) => `- \`${folder}\`: ${holds}`);
  return [...rows, ''].join('\n');
}
