import { Context } from '@temporalio/activity';
import pLimit from 'p-limit';
import { type Finding, failure, ok, type PlaceReport, warning } from '../../contract/finding.ts';
import { API_CLOCK_TOLERANCE, CLOCK_TOLERANCE, GET_TIMEOUT } from '../../contract/limits.ts';
import type { ActivityDeps } from '../deps.ts';
import { checkStore } from './check-store.ts';

/** Workspaces that are asked for at once. */
const AT_ONCE = 8;
const REFUSED_KEY: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'WORKSPACE_FORBIDDEN', 'FORBIDDEN']);
const SECRET_FIX =
  'Set DARKROOM_WEBHOOK_SECRET, or webhookSecret in DARKROOM_CONFIG, and restart the workers.';

/** What a worker process must be told to check its own place. No secret is in it. */
export interface PlaceSettings {
  apiUrl: string;
  /** Of each workspace's key, webhook secrets and headers of its own. */
  keyIds: ReadonlyMap<string, string>;
  secretIds: ReadonlyMap<string, readonly string[]>;
  headerIds: ReadonlyMap<string, string>;
}

type Deps = Pick<
  ActivityDeps,
  'api' | 'workspaces' | 'store' | 'publicUrl' | 'place' | 'webhooks' | 'rates' | 'taskQueue'
>;

/** What the worker that runs this can use: keys, store, clocks, webhooks. Buys nothing. */
export async function checkPlace(deps: Deps): Promise<PlaceReport> {
  const { place, store, workspaces, rates, api } = deps;
  const clock = temporalClock(); // first: what follows takes its time
  const limit = pLimit(AT_ONCE);
  const [balances, stored] = await Promise.all([
    Promise.all([...workspaces.keys()].map((workspace) => limit(() => checkKey(deps, workspace)))),
    checkStore(store, deps.publicUrl),
  ]);
  const perWorkspace = [...workspaces.keys()].flatMap((workspace) => [
    checkSecrets(place, workspace),
    checkWebhooks(deps, workspace),
  ]);
  return {
    findings: [
      clock,
      ...balances.flat(),
      apiClock(api.clock.offset),
      ...stored,
      ...perWorkspace,
      fairness(rates.unable),
    ],
    settings: {
      'media API': place.apiUrl,
      store: store.place,
      ...Object.fromEntries([...place.keyIds].map(([name, id]) => [`key of workspace ${name}`, id])),
      ...Object.fromEntries(
        [...place.secretIds].map(([name, ids]) => [`webhook secrets of workspace ${name}`, ids.join(', ')]),
      ),
      ...Object.fromEntries([...place.headerIds].map(([name, id]) => [`headers of workspace ${name}`, id])),
    },
  };
}

async function checkKey({ api, workspaces, place }: Deps, workspace: string): Promise<Finding[]> {
  const check = `key of workspace ${workspace}`;
  const answer = await api.getCredits(workspaces.get(workspace) ?? { apiKey: '' }, GET_TIMEOUT);
  if (answer.kind === 'credits') {
    const { available } = answer.credits;
    const balance = `balance of workspace ${workspace}`;
    return [
      ok(check, `The media API takes key ${place.keyIds.get(workspace) ?? ''}.`),
      available > 0
        ? ok(balance, `${available} credits are available.`)
        : warning(balance, 'No credits are available: generations wait for credits.', 'Top up.'),
    ];
  }
  const { code, reason } = answer;
  if (REFUSED_KEY.has(code))
    return [
      failure(
        check,
        `The media API refuses key ${place.keyIds.get(workspace) ?? ''} (${code}).`,
        `Put the API key of workspace ${workspace} right, and restart the workers.`,
      ),
    ];
  return [
    failure(
      'media API',
      `The media API gives no balance to workspace ${workspace}: ${reason}`,
      `Check DARKROOM_API_URL (${place.apiUrl}), the network of the workers, and the service's state.`,
    ),
  ];
}

function checkSecrets({ secretIds }: PlaceSettings, workspace: string): Finding {
  const check = `webhook secrets of workspace ${workspace}`;
  const ids = secretIds.get(workspace) ?? [];
  return ids.length === 0
    ? warning(check, 'There is none: webhooks are refused, and results come by polling.', SECRET_FIX)
    : ok(check, `${ids.length === 1 ? 'One secret' : `${ids.length} secrets`}: ${ids.join(', ')}.`);
}

function checkWebhooks({ webhooks }: Deps, workspace: string): Finding {
  const check = `webhooks of workspace ${workspace}`;
  const { missed, lastHeard, isMissing } = webhooks.report(workspace);
  const last =
    lastHeard === undefined
      ? 'none has come since the worker started'
      : `the last one came ${ago(lastHeard)} ago`;
  if (!isMissing) return ok(check, `By this worker, ${last}.`);
  return warning(
    check,
    `${missed} tasks have ended without a webhook; ${last}. Results come by polling, later.`,
    "Check the endpoint in the API's dashboard: its URL, its secret, its events, whether it is enabled.",
  );
}

function ago(time: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - time) / 1_000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

/** By when Temporal gave this out: that was a moment ago, unless the queue has a backlog. */
function temporalClock(): Finding {
  const offset = Context.current().info.currentAttemptScheduledTimestampMs - Date.now();
  const check = "worker's clock";
  if (Math.abs(offset) <= CLOCK_LIMIT) return ok(check, "It agrees with Temporal's.");
  const seconds = Math.round(Math.abs(offset) / 1_000);
  return warning(
    check,
    offset > 0
      ? `It is ${seconds} s behind Temporal's.`
      : `It is ${seconds} s ahead of Temporal's, or activities wait so long for a worker.`,
    'Synchronise the clocks (NTP); where they agree, start more workers.',
  );
}

/** Activities may wait a little for a worker. */
const CLOCK_LIMIT = CLOCK_TOLERANCE * 6;

function apiClock(offset: number | undefined): Finding {
  const check = "media API's clock";
  if (offset === undefined) return ok(check, 'No answer has told it.');
  if (Math.abs(offset) <= API_CLOCK_TOLERANCE) return ok(check, "It agrees with the worker's.");
  const seconds = Math.round(Math.abs(offset) / 1_000);
  return warning(
    check,
    `It is ${seconds} s ${offset > 0 ? 'ahead of' : 'behind'} the worker's: webhook signatures over 5 min off are refused.`,
    "Synchronise the worker's clock (NTP).",
  );
}

function fairness(reason: string | undefined): Finding {
  return reason === undefined
    ? ok('fairness', 'Nothing shows that the task queue is unfair.')
    : warning(
        'fairness',
        `Temporal's task queue cannot slow one workspace down: ${reason}`,
        "Set matching.enableFairness to true in the server's dynamic configuration (Temporal Cloud: in the namespace's settings).",
      );
}
