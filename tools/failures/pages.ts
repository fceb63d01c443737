import { CREDITS, FAILURES, type Failure, OUTSIDE_ENDS } from '../../src/contract/failures/failures.ts';

const ALL = Object.entries(FAILURES);
const OUTSIDE: ReadonlySet<string> = new Set(OUTSIDE_ENDS);

/** The parts of docs/failures.md that are filled in, by the names of their places. */
export const PARTS: Readonly<Record<string, string>> = {
  steps: stepTable(),
  failures: ALL.filter(([type]) => !OUTSIDE.has(type))
    .map(section)
    .join('\n'),
  outside: ALL.filter(([type]) => OUTSIDE.has(type))
    .map(section)
    .join('\n'),
};

function section([type, { means, paid, next, again, more }]: [string, Failure]): string {
  const todo = more === undefined ? next : `${next} ${more}`;
  return `## \`${type}\`\n\n${means}\n\n- **Cost:** ${paid}\n- **Do:** ${todo}\n- **Type:** \`${command(again)}\`\n`;
}

function command(again: Failure['again']): string {
  if (again === 'nothing') return 'generate <model> <corrected fields> --id <another key>';
  return again === undefined ? 'retry <workflow id>' : `rerun <workflow id> --set ${again.join('=')}`;
}

/** What to type for a pipeline, by the type of the step that has failed. */
function stepTable(): string {
  const ways: readonly (readonly [(failure: Failure) => boolean, string])[] = [
    [({ again }) => again?.[1] === CREDITS, '`rerun <pipeline id> --set budget.credits=<credits>`'],
    [
      ({ again }) => again === 'nothing',
      '`rerun <pipeline id> --set <step>.<field>=<value>` (`<step>.templateId=<id>`)',
    ],
  ];
  const rows = ways.map(([applies, way], index) => {
    const types = ALL.filter(
      ([, failure]) => ways.findIndex(([one]) => one(failure)) === index && applies(failure),
    );
    return `| ${types.map(([type]) => `\`${type}\``).join(', ')} | ${way} |`;
  });
  return [
    "| the step's type | of the pipeline |",
    '| --- | --- |',
    ...rows,
    '| any other | `retry <pipeline id>` |\n',
  ].join('\n');
}
