import { AccountBook } from './src/workflows/account/account-book.ts';
const now = Date.now();
const book = new AccountBook({ scope: 't', per: 'ever' }, now);
for (let r = 0; r < 200; r += 1) {
  book.book({ kind: 'hold', workflowId: `batch/some-key-of-a-batch/row-${r}`, limit: 1e9 }, now);
}
let n = 0;
const reserve = (r: number, i: number) => book.book({ kind: 'reserve', purchase: { workflowId: `batch/some-key-of-a-batch/row-${r}/pictures/${i}`, runId: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee', activityId: '1', workspace: 'default' }, attempt: 1, price: 8, limit: 1e9 }, now);
for (let r = 0; r < 200; r += 1) for (let i = 0; i < 20; i += 1) { if (reserve(r, i).kind === 'booked') n += 1; }
const t = performance.now();
for (let k = 0; k < 200; k += 1) reserve(k % 200, 1000 + k);
console.log(n, 'open;', ((performance.now() - t) / 200).toFixed(2), 'ms a booking');
