import type { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { type Finding, failure, ok, warning } from '../../contract/finding.ts';
import { SEARCH_ATTRIBUTES } from '../../contract/search-attributes.ts';
import { formatDuration } from '../../policy/duration.ts';
import { retentionOf } from '../../temporal/retention.ts';

const { IndexedValueType } = proto.temporal.api.enums.v1;

/** Shorter than that, and a run that waits a day for its files outlives what it could be run again from. */
const LEAST_RETENTION = 24 * 3_600_000;
/** A list that takes longer holds up every event whose workflow has to be looked for (milliseconds). */
const SLOW_LIST = 3_000;

/** The namespace: how long it keeps runs, what it can be searched by, and whether it lists. */
export async function checkNamespace(client: Client & { connection: Connection }): Promise<Finding[]> {
  const checks = await Promise.all([
    guarded('retention', 'Ask who runs Temporal: the namespace cannot be read.', () =>
      checkRetention(client),
    ),
    guarded('search attributes', 'Allow this client to list search attributes, or look in the Web UI.', () =>
      checkAttributes(client),
    ),
    guarded('visibility', "Check Temporal's visibility store, and frontend.namespaceRPS.visibility.", () =>
      checkVisibility(client),
    ),
  ]);
  return checks;
}

/** A check that the server refuses has found something, too. */
export async function guarded(check: string, fix: string, run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    return warning(
      check,
      `Temporal does not answer: ${error instanceof Error ? error.message : String(error)}`,
      fix,
    );
  }
}

async function checkRetention(client: Client): Promise<Finding> {
  const { namespace } = client.options;
  const kept = await retentionOf(client);
  const words = `Closed runs are kept for ${formatDuration(kept)}`;
  if (kept >= LEAST_RETENTION) return ok('retention', `${words}.`);
  return warning(
    'retention',
    `${words}: after that, nothing protects from buying the same again, and nothing can be reset.`,
    `temporal operator namespace update --namespace ${namespace} --retention 30d`,
  );
}

async function checkAttributes({
  connection,
  options: { namespace },
}: Client & { connection: Connection }): Promise<Finding> {
  const check = 'search attributes';
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const types = new Map(Object.entries(customAttributes ?? {}));
  const names = SEARCH_ATTRIBUTES.map(({ name }) => name);
  const missing = names.filter((name) => !types.has(name));
  const other = names.filter(
    (name) => types.has(name) && types.get(name) !== IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  );
  if (other.length > 0)
    return failure(
      check,
      `Not of the type Keyword: ${other.join(', ')}.`,
      `Remove them (temporal operator search-attribute remove --namespace ${namespace} ${flags(other)}), and restart the workers, which add them again.`,
    );
  if (missing.length > 0)
    return failure(
      check,
      `Missing: ${missing.join(', ')}.`,
      `temporal operator search-attribute create --namespace ${namespace} ${missing.map((name) => `--name ${name} --type Keyword`).join(' ')}`,
    );
  return ok(check, `All ${names.length} are registered.`);
}

function flags(names: readonly string[]): string {
  return names.map((name) => `--name ${name}`).join(' ');
}

async function checkVisibility(client: Client): Promise<Finding> {
  const began = Date.now();
  const { count } = await client.workflowService.countWorkflowExecutions({
    namespace: client.options.namespace,
    query: "ExecutionStatus = 'Running'",
  });
  const took = Date.now() - began;
  return took <= SLOW_LIST
    ? ok('visibility', `${Number(count ?? 0)} runs are open.`)
    : warning(
        'visibility',
        `A count of open runs took ${formatDuration(took)}.`,
        "Check Temporal's visibility store: its CPU, its disk, its indexes.",
      );
}
