import type { Client } from '@temporalio/client';

interface OpenWorld {
  client: Client;
  taskQueue: string;
}

/** The worlds that are open now: their runs are told of where a test fails. */
export const openWorlds = new Set<OpenWorld>();

const MOST_RUNS = 30;
/** Events of each that are shown: the first ones, and the last. */
const FIRST_EVENTS = 20;
const LAST_EVENTS = 25;

/** What the runs that are open now have come to: the first events of each, and the last. */
export async function tellOpenRuns(): Promise<string> {
  const told: string[] = [];
  for (const { client, taskQueue } of openWorlds) {
    const query = `ExecutionStatus = 'Running' AND TaskQueue STARTS_WITH '${taskQueue}'`;
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      if (told.length === MOST_RUNS) return told.join('\n');
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const all = events ?? [];
      const first = all.slice(0, FIRST_EVENTS);
      const lines = [...first, ...all.slice(FIRST_EVENTS).slice(-LAST_EVENTS)].map(lineOf);
      told.push(`${workflowId} ${runId}`, ...lines);
    }
  }
  return told.join('\n');
}

type HistoryEvent = NonNullable<
  Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>['events']
>[number];

function lineOf(event: HistoryEvent): string {
  const at = new Date(1_000 * Number(event.eventTime?.seconds ?? 0)).toISOString().slice(11, 19);
  const attributes = Object.entries(event).find(([key, value]) => key.endsWith('Attributes') && value);
  const words = JSON.stringify(attributes?.[1], (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('utf8').slice(0, 200) : value,
  );
  return `  ${String(event.eventId)} ${at} ${attributes?.[0] ?? ''} ${words.slice(0, 400)}`;
}
