import type { Client } from '@temporalio/client';
import QuickLRU from 'quick-lru';
import { type FieldDigests, fieldDigests, withTemplate } from '../../api/input/field-digests.ts';
import { isRecord } from '../../api/json/is-record.ts';
import type { ModelOverrides } from '../../api/models/override.ts';
import { findModel } from '../../api/models/registry.ts';
import { toWire } from '../../api/wire.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { grpcStatus } from '../../temporal/grpc-status.ts';
import { readRequest } from '../../temporal/history.ts';

/** Some hundred bytes each. */
const MAX_REMEMBERED = 20_000;
/** Of a run that is not there, or whose request was none. */
const NONE = Symbol('no request');

/** What a run of `generation` sends when it submits, as far as tasks can be told apart by it. */
export interface StartedGeneration {
  workspace: string;
  model: string;
  /** Of the body, by their names on the wire. */
  fields: FieldDigests;
  /** It goes on for a run that it names. */
  isRerun: boolean;
}

/**
 * What runs of `generation` were started with, as digests. It never changes, so it is read once: a survey of who may
 * own a task looks at every run that submits, again and again.
 */
export class StartedGenerations {
  readonly #client: Client;
  readonly #models: ModelOverrides;
  readonly #known = new QuickLRU<string, StartedGeneration | typeof NONE>({ maxSize: MAX_REMEMBERED });

  constructor(client: Client, models: ModelOverrides) {
    this.#client = client;
    this.#models = models;
  }

  /** Undefined where it is not there any more, or was no request. */
  async of(workflowId: string, runId: string): Promise<StartedGeneration | undefined> {
    const known = this.#known.get(runId) ?? this.#digest(await this.#read(workflowId, runId)) ?? NONE;
    this.#known.set(runId, known);
    return known === NONE ? undefined : known;
  }

  async #read(workflowId: string, runId: string): Promise<unknown> {
    try {
      return await readRequest<unknown>(this.#client, workflowId, runId);
    } catch (error) {
      // Visibility may list a run that is somebody else's and cannot be read.
      if (grpcStatus(error).code === undefined) return undefined;
      throw error;
    }
  }

  #digest(request: unknown): StartedGeneration | undefined {
    if (!isRecord(request) || typeof request['model'] !== 'string' || !isRecord(request['input']))
      return undefined;
    const { model: id, input, templateId, earlierRun, workspace = DEFAULT_WORKSPACE } = request;
    const model = findModel(id);
    if (model === undefined || typeof workspace !== 'string') return undefined;
    const fields = fieldDigests(toWire(model, input, this.#models[id]).body);
    const template = typeof templateId === 'string' ? templateId : undefined;
    return {
      workspace,
      model: id,
      fields: withTemplate(fields, template),
      isRerun: earlierRun !== undefined,
    };
  }
}
