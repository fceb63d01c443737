import { formatTable } from '../../src/terminal/table.ts';
import type { StormReport } from './storm.ts';

/** Whether the storm has shown nothing that must not be. */
export function isClean(report: StormReport): boolean {
  const { extraCharges, lost, stuck, waiting, torn, over, bill } = report;
  return extraCharges + lost + stuck + waiting + torn + over + bill === 0;
}

/** The report for people. */
export function tableOf(report: StormReport): string {
  const { seed, generations, faults, charges, getsPerGeneration } = report;
  const again = `npm run chaos -- --generations ${generations} --seed ${seed}`;
  const rows: [string, number, string][] = [
    ['generations', generations, ''],
    ['charges', charges, "by the emulator's ledger"],
    ['extra charges', report.extraCharges, mark(report.extraCharges)],
    ['lost results', report.lost, mark(report.lost)],
    ['stuck runs', report.stuck, mark(report.stuck)],
    ['waiting for a person', report.waiting, mark(report.waiting)],
    ['wrong or torn files', report.torn, mark(report.torn)],
    ['budgets and caps passed', report.over, mark(report.over)],
    ['charges that the bill tells otherwise', report.bill, mark(report.bill)],
    ['GETs per generation', getsPerGeneration, ''],
  ];
  const table = formatTable(
    ['seed', String(seed), again],
    rows.map(([what, count, note]) => [what, String(count), note]),
  );
  const names = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`);
  return `${table}\nfaults: ${names.join(', ')}\n`;
}

function mark(count: number): string {
  return count === 0 ? 'must be 0' : 'MUST BE 0';
}
