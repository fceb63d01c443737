import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { claimIdOf, type Looking } from '../../contract/entities/claims.ts';
import { lookingForQuery } from '../../contract/messages.ts';
import { UNREADABLE } from '../../contract/tasks/submit-task.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import { type Patience, triedAgain, triedFor } from '../../policy/patience.ts';
import type { CheckedSubmit } from '../generation/check-submit.ts';
import { answerWithin, UpdateQueue } from '../update-queue.ts';

/** Longest that one query may take, and that an attempt waits for its turn and the answer, in milliseconds. */
const TIMEOUT = 8_000;
const LIMIT = 10_000;
/** Before an attempt asks again, at least, in milliseconds. */
const ASK_AGAIN = 1_000;
/** So long a look keeps a further submit waiting (milliseconds): a worker that is lost over it takes ten seconds along. */
const LONGEST = 60_000;

/** What this process asks of claims, without any event in the entity's history: those of a workspace together. */
export class OpenLooks {
  readonly #queue: UpdateQueue<string, Looking | null>;

  constructor(client: Client, taskQueue: string) {
    this.#queue = new UpdateQueue(async (workspace, claimIds) => {
      const workflowId = entityId('unclaimed-tasks', workspace, taskQueue);
      try {
        return await client.withDeadline(Date.now() + TIMEOUT, () =>
          client.workflow.getHandle(workflowId).query(lookingForQuery, [...claimIds]),
        );
      } catch (error) {
        // It ends only when it has nothing left to look at; whether it was ended from outside is asked besides.
        if (error instanceof WorkflowNotFoundError) return claimIds.map(() => null);
        throw error;
      }
    });
  }

  /** What is looked at that may be of one of the claims; null: nothing. */
  async of(workspace: string, claimIds: readonly string[]): Promise<Looking | null> {
    const looks = await Promise.all(claimIds.map((claimId) => this.#queue.ask(workspace, claimId)));
    return looks.find((look) => look !== null) ?? null;
  }
}

/**
 * Why nobody can tell what a submit has bought that this run has given up: `unclaimed-tasks/<workspace>` has been looking
 * at a task that may be the one for a minute. To be asked before each further request is sent, and before what the run was
 * told meanwhile is read: the entity looks on until it has told it.
 *
 * @param search kept from attempt to attempt
 * @returns undefined where nothing is looked at, or the run has given up none
 * @throws a retryable ApplicationFailure as long as it has not taken a minute
 */
export async function whyStillLooking(
  { looks }: { looks: Pick<OpenLooks, 'of'> },
  {
    workspace,
    firstRunId,
    gaveUpAt,
    resolvedUnknowns = [],
  }: Pick<CheckedSubmit, 'workspace' | 'firstRunId' | 'gaveUpAt' | 'resolvedUnknowns'>,
  search: { looking?: Patience },
): Promise<string | undefined> {
  if (gaveUpAt === undefined) return undefined;
  const claimIds = resolvedUnknowns.map((since) => claimIdOf(firstRunId, since));
  const { wait, why } = (await answerOf(looks.of(workspace, claimIds))) ?? {};
  if (why === undefined) {
    delete search.looking;
    return undefined;
  }
  const pause = Math.max(ASK_AGAIN, wait ?? 0);
  search.looking = triedAgain(search.looking, Date.now(), pause);
  if (triedFor(search.looking) >= LONGEST) return why;
  throw ApplicationFailure.create({
    type: UNREADABLE,
    message: `nothing is bought again: ${why}`,
    nextRetryDelay: pause,
  });
}

async function answerOf(asked: Promise<Looking | null>): Promise<Pick<Looking, 'why' | 'wait'> | null> {
  try {
    return await answerWithin(LIMIT, asked);
  } catch (error) {
    return { wait: ASK_AGAIN, why: `unclaimed-tasks does not answer (${String(error)})` };
  }
}
