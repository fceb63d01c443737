import type { ClaimBook } from './claim-book.ts';

/** How many generations are named: the UI takes 20 KB. */
const SHOWN = 50;
const MAX_SHOWN_ID = 200;

/** What the Temporal Web UI shows of `unclaimed-tasks/<workspace>`, in Markdown. */
export function describe(book: ClaimBook): string {
  const { taskCount, claims, formerCount, alarms } = book;
  const { evicted, refused, malformed } = alarms.counts;
  const lines = [
    `${taskCount} task(s) that nobody is known to hold, ${claims.length} generation(s) looking`,
    '',
  ];
  for (const { workflowId, model } of claims.slice(0, SHOWN))
    lines.push(`- \`${workflowId.slice(0, MAX_SHOWN_ID)}\` (${model})`);
  if (claims.length > SHOWN) lines.push(`- and ${claims.length - SHOWN} more`);
  const others = [
    [formerCount, 'submit(s) were given up; whether one was charged after all is told when it shows'],
    [evicted, '**task(s) had to be forgotten early for lack of room: a submit may be bought twice**'],
    [refused, 'claim(s) had to come again for lack of room'],
    [malformed, 'message(s) could not be understood'],
  ] as const;
  for (const [count, what] of others) if (count > 0) lines.push('', `${count} ${what}`);
  return lines.join('\n');
}
