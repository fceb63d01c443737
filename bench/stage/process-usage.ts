import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second (USER_HZ), whatever its own clock. */
const TICK = 10;
const MEGABYTE_IN_KB = 1024;

interface ProcessStat {
  pid: number;
  parent: number;
  /** Of it and of all those below it that have ended, milliseconds. */
  cpu: number;
}

/** Processor time that a process and all below it have used so far, in milliseconds. Only on Linux: /proc tells. */
export function cpuOf(pid: number): number {
  return treeOf(pid).reduce((sum, { cpu }) => sum + cpu, 0);
}

/** Memory that a process and all below it take now, each by itself, in MB; the largest first. */
export function residentOf(pid: number): number[] {
  return treeOf(pid)
    .map((one) => {
      const status = read(`/proc/${one.pid}/status`) ?? '';
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / MEGABYTE_IN_KB;
    })
    .sort((a, b) => b - a);
}

/** The same in all, in MB: pages that several processes share count for each of them in part (Pss). */
export function proportionalOf(pid: number): number {
  const sizes = treeOf(pid).map((one) => {
    const rollup = read(`/proc/${one.pid}/smaps_rollup`) ?? '';
    return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0);
  });
  return sizes.reduce((sum, size) => sum + size, 0) / MEGABYTE_IN_KB;
}

function treeOf(root: number): ProcessStat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const children = Map.groupBy(all, ({ parent }) => parent);
  const below = (pid: number): ProcessStat[] =>
    (children.get(pid) ?? []).flatMap((child) => [child, ...below(child.pid)]);
  const own = all.find(({ pid }) => pid === root);
  return own === undefined ? [] : [own, ...below(root)];
}

function statOf(pid: number): ProcessStat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The program's name stands in brackets and may hold anything; what follows begins with the third field (proc(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return { pid, parent: field(4), cpu: (field(14) + field(15) + field(16) + field(17)) * TICK };
}

/** Undefined where the process has ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
