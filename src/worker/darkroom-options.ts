import type { SubmitAuditTimes } from '../activities/generation/submit-audit.ts';
import type { DarkroomActivities } from '../contract/activities.ts';
import type { ReceiverLog } from '../webhooks/receiver-log.ts';
import type { HostedParts } from './start-workers.ts';

export interface DarkroomOptions {
  /** Which halves run in this process. */
  worker: boolean;
  receiver: boolean;
  /**
   * Whether to ask the API once for every key before anything starts; `strict`: it has to answer now. Otherwise an API
   * that is away is warned of, and only one that takes no key at all stops the start.
   */
  preflight: boolean | 'strict';
  log: ReceiverLog;
  /** Other times than the usual ones for looking after accepted submits. */
  audit?: Partial<SubmitAuditTimes>;
  /**
   * Wraps the activities before the workers register them: to measure or log what they do, or to put another one in
   * the place of one in a test. What it hands back is what runs, so it has to keep the promises of each.
   */
  activities?: (activities: DarkroomActivities) => DarkroomActivities;
  /** How many activities run at once on each of the worker's queues; 200 when absent. */
  activitySlots?: number;
  /** What fails for less than so many milliseconds is no trouble; a minute when absent. */
  troubleLasts?: number | undefined;
  /** The metrics of Temporal's SDK in this process, shown with ours; see `installRuntime`. */
  sdkMetrics?: (() => Promise<string>) | undefined;
  /** Takes what runs on the main queue to a Worker of somebody else's, which has the workflows in its bundle. */
  host?: (parts: HostedParts) => void;
}
