import type { Figure } from './measure.ts';
import { table } from './table.ts';

/**
 * `npm run bench -- <name> [<part> …] [--json]`: measures on this machine, in one run, against baselines of the same
 * run; with parts, only these of it.
 * With `--json`, one document `{ figures }` on standard output; progress always goes to standard error.
 */
const BENCHES: Record<string, () => Promise<{ run(parts: readonly string[]): Promise<Figure[]> }>> = {
  claims: () => import('./claims.ts'),
  emulator: () => import('./emulator.ts'),
  'rate-limit': () => import('./rate-limit.ts'),
  receiver: () => import('./receiver.ts'),
  routing: () => import('./routing.ts'),
};

const args = process.argv.slice(2);
const [name, ...parts] = args.filter((arg) => !arg.startsWith('--'));
const load = name === undefined ? undefined : BENCHES[name];
if (load === undefined || args.includes('--help')) {
  const names = Object.keys(BENCHES).join(', ');
  const usage = `Usage: npm run bench -- <name> [<part> …] [--json]\n\nNames: ${names}`;
  const isAsked = args.includes('--help');
  console[isAsked ? 'log' : 'error'](`${usage}\n\nExample:\n  npm run bench -- receiver throughput`);
  process.exit(isAsked ? 0 : 2);
}
// With a worker in this process the SDK has handlers of its own, which stop the worker and leave the bench waiting.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(code));
}
const figures = await (await load()).run(parts);
console.log(args.includes('--json') ? JSON.stringify({ figures }) : table(figures));
process.exit(0);
