import Table from 'cli-table3';
import type { StormReport } from './storm.ts';

/** Whether the storm has shown nothing that must not be. */
export function isClean(report: StormReport): boolean {
  const { extraCharges, lost, stuck, waiting, torn } = report;
  return extraCharges + lost + stuck + waiting + torn === 0;
}

/** The report for people. */
export function tableOf(report: StormReport): string {
  const { seed, generations, faults, charges, getsPerGeneration } = report;
  const table = new Table({ style: { head: [], border: [] }, colAligns: ['left', 'right', 'left'] });
  table.push(
    ['seed', seed, `npm run chaos -- --generations ${generations} --seed ${seed}`],
    ['generations', generations, ''],
    ['charges', charges, 'by the ledger of the emulator'],
    ['extra charges', report.extraCharges, mark(report.extraCharges)],
    ['lost results', report.lost, mark(report.lost)],
    ['stuck runs', report.stuck, mark(report.stuck)],
    ['waiting for a person', report.waiting, mark(report.waiting)],
    ['wrong or torn files', report.torn, mark(report.torn)],
    ['GETs per generation', getsPerGeneration, ''],
  );
  const names = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`);
  return `${table.toString()}\nfaults: ${names.join(', ')}\n`;
}

function mark(count: number): string {
  return count === 0 ? 'must be 0' : 'MUST BE 0';
}
