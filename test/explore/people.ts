import type { WorkflowHandle } from '@temporalio/client';
import {
  approveUpdate,
  checkNowUpdate,
  decideUpdate,
  pipelineProgressQuery,
  progressQuery,
  resolveUpdate,
} from '../../src/contract/messages.ts';
import type { Resolution } from '../../src/contract/pipeline.ts';
import type { Play } from './play.ts';

/** What a person waits for evidence that is on its way, or was told of, in milliseconds. */
const EVIDENCE = 6_000;

/** The children of own-workflow.ts, by their names. */
const OWN_CHILDREN = ['still', 'large'];

/** The people whom the workflows of one scene ask. */
export class People {
  readonly #play: Play;
  /** By run. */
  readonly #askedSince = new Map<string, number>();

  constructor(play: Play) {
    this.#play = play;
  }

  /** Answers a workflow that shows that state, if it asks for anything. Somebody's own workflow shows none. */
  async answer(workflowId: string, type: string, state: unknown): Promise<void> {
    const handle = this.#handle(workflowId);
    if (type === 'own') await this.#answerChildren(workflowId);
    else if (state === undefined) return;
    else if (type === 'pipeline') await this.#answerPipeline(handle);
    else if (type === 'batch') await this.#answerRows(workflowId);
    else if (state === 'needs a decision') await this.#decide(handle);
    // Refused where it has just gone on.
    else if (state === 'waiting for credits')
      await handle.executeUpdate(checkNowUpdate).catch(() => undefined);
  }

  #handle(workflowId: string): WorkflowHandle {
    return this.#play.stage.client.workflow.getHandle(workflowId);
  }

  async #answerRows(workflowId: string): Promise<void> {
    const { scene } = this.#play;
    for (const row of scene.rows ?? [])
      await this.#answerPipeline(this.#handle(`${workflowId}/${row}`)).catch(() => undefined);
  }

  async #answerChildren(workflowId: string): Promise<void> {
    for (const child of OWN_CHILDREN)
      await this.#lookAtStep(`generation/${workflowId}/${child}`).catch(() => undefined); // not started yet
  }

  async #answerPipeline(handle: WorkflowHandle): Promise<void> {
    const { steps } = await handle.query(pipelineProgressQuery);
    for (const [step, { status }] of Object.entries(steps)) {
      if (status === 'approval') {
        const { approves: input } = this.#play.scene;
        const approval = { step, ...(input && { input }) };
        await handle.executeUpdate(approveUpdate, { args: [approval] }).catch(() => undefined);
      } else if (status === 'held') {
        const resolution: Resolution = { step, action: 'retry', ...this.#play.scene.resolves };
        await handle.executeUpdate(resolveUpdate, { args: [resolution] }).catch(() => undefined);
      } else if (status === 'running') await this.#lookAtStep(`${handle.workflowId}/${step}`);
    }
  }

  async #lookAtStep(workflowId: string): Promise<void> {
    const { searchAttributes, status } = await this.#handle(workflowId).describe();
    if (status.name === 'RUNNING')
      await this.answer(workflowId, 'generation', searchAttributes['DarkroomState']?.[0]);
  }

  async #decide(handle: WorkflowHandle): Promise<void> {
    const { scene, books, done } = this.#play;
    const { workflowId } = handle;
    // What a Reset has just brought back is searchable, and may be no question any more.
    const { state } = await handle.query(progressQuery);
    if (state !== 'needs a decision') return;
    const now = Date.now();
    // What a Reset brings back is another question.
    const { runId } = await handle.describe();
    const since = this.#askedSince.get(runId) ?? now;
    this.#askedSince.set(runId, since);
    const hasEvidence = books.tellsOf(workflowId) || scene.evidenceComesWithin !== undefined;
    const patience = (scene.evidenceComesWithin ?? EVIDENCE) * this.#play.stage.slowness;
    if (hasEvidence && now - since < patience) return;
    const own = books.ofUse(workflowId);
    const byTheBooks = own === undefined ? 'resubmit' : 'adopt';
    // A submit that an act has kept from being sent has bought nothing that could be adopted.
    const { decides = byTheBooks } = scene;
    const action = decides === 'adopt' ? byTheBooks : decides;
    done.asked.push({ workflowId, at: now });
    const decision = { action, ...(action === 'adopt' && own !== undefined ? { taskId: own } : {}) };
    const isObeyed = await handle.executeUpdate(decideUpdate, { args: [decision] }).then(
      () => true,
      () => false, // refused: it is asked again
    );
    if (isObeyed && action === 'resubmit') done.wanted.push({ workflowId, at: now });
  }
}
