import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import type { RequestRefusal } from '../metrics.ts';
import type { OccasionalLog } from '../occasional-log.ts';

/** After so many refusals in a row somebody is told. */
const ROW = 10;

/**
 * Refusals of one workspace for one reason since the last delivery that was accepted. A service that signs in another
 * way than is expected here would lose every webhook, and nobody would notice, because polling settles the tasks: so
 * the tenth in a row is told of, with the setting that would take such deliveries.
 */
export class RefusalRows {
  readonly #workspace: string;
  readonly #troubles: OccasionalLog;
  readonly #rows = new Map<RequestRefusal, number>();

  constructor(workspace: string, troubles: OccasionalLog) {
    this.#workspace = workspace;
    this.#troubles = troubles;
  }

  refused(reason: RequestRefusal): void {
    const row = (this.#rows.get(reason) ?? 0) + 1;
    this.#rows.set(reason, row);
    const advice = row === ROW ? ADVICE[reason]?.(this.#workspace) : undefined;
    if (advice === undefined) return;
    const workspace = this.#workspace;
    this.#troubles.warn(`${ROW} deliveries in a row were refused in workspace ${workspace}: ${reason}`, {
      workspace,
      reason,
      advice,
    });
  }

  accepted(): void {
    if (this.#rows.size > 0) this.#rows.clear();
  }
}

const FOLLOW = "no setting takes these; are they the sender's? It has to sign as Standard Webhooks says";

/** What would take such deliveries; nothing is said of reasons that tell nothing about a sender's ways. */
const ADVICE: Partial<Record<RequestRefusal, (workspace: string) => string>> = {
  'signature unusual-id': (workspace) =>
    `workspaces.${workspace}.webhook.ids: "any" in DARKROOM_CONFIG takes them`,
  'signature legacy-disagreeing': ignoreLegacy,
  'event type': ignoreLegacy,
  'signature legacy-only': (workspace) =>
    `workspaces.${workspace}.legacy: "accept" in DARKROOM_CONFIG takes them`,
  'signature mismatch': (workspace) =>
    `the endpoint's secret is to be in ${workspace === DEFAULT_WORKSPACE ? 'DARKROOM_WEBHOOK_SECRET, or in ' : ''}workspaces.${workspace}.webhookSecrets of DARKROOM_CONFIG`,
  'signature stale': () => 'no setting takes these; is the clock of this machine right?',
  'signature future': () => 'no setting takes these; is the clock of this machine right?',
  'signature missing': () => FOLLOW,
  'signature repeated': () => FOLLOW,
  'signature malformed': () => FOLLOW,
  'too large': () => 'webhook.maxBodyBytes in DARKROOM_CONFIG takes larger ones',
  'media type': () => 'no setting takes these; the API sends application/json',
  'content encoding': () => 'no setting takes these; the API sends plain JSON',
  'no event': () => 'no setting takes these; is the endpoint of another service registered here?',
};

function ignoreLegacy(workspace: string): string {
  return `workspaces.${workspace}.webhook.legacyHeaders: "ignore" in DARKROOM_CONFIG takes them`;
}
