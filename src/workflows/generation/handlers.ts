import { ApplicationFailure, condition, type SignalDefinition, setHandler } from '@temporalio/workflow';
import { given } from '../../api/json/given.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { isTaskId } from '../../api/records/task-id.ts';
import { shown } from '../../api/text/shown.ts';
import { submitTimeOf } from '../../contract/entities/claims.ts';
import { DECISIONS, type Decision, type DecisionAnswer, type Progress } from '../../contract/generation.ts';
import {
  readGrant,
  readId,
  readNotSent,
  readProof,
  readTaskEnd,
} from '../../contract/generation-messages.ts';
import * as messages from '../../contract/messages.ts';
import { submitKey } from '../../contract/tasks/submit-task.ts';
import { judge } from './evidence.ts';
import { decisionsFor, pendingDecision, progressOf, viewOf } from './projections.ts';
import { type Heard, MOST_KEPT, put, type Run, type State, valueOf } from './state.ts';

/** Characters of what holds a submit up. */
const LONGEST_REASON = 1_000;
/** Of so many tasks the files are kept: an event may come before the submit's answer has named its task. */
const MOST_WITH_ARTIFACTS = 3;

/** What a signal adds to what was heard, and what it is for. */
type Signal = readonly [SignalDefinition<unknown[]>, (state: State, said: unknown) => Heard, string];

const SIGNALS: readonly Signal[] = [
  [messages.taskEventSignal, hearEnd, "A webhook's hint: the task's record may have changed"],
  [messages.taskGrantedSignal, hearGrant, 'A lost task was found for a claim of this run'],
  [messages.lookBegunSignal, hearBegunLook, 'A task is looked at that may be of a lost submit of this run'],
  [messages.submitProvenSignal, hearProof, 'An unknown submit of this run was charged after all'],
  [
    messages.submitHeldUpSignal,
    hearHeldUp,
    'What holds up the submit of this run, which is tried again and again; or that nothing does any more',
  ],
  [messages.submitNotSentSignal, hearNotSent, 'A submit of this run that was given up was never sent'],
  [messages.creditsReleasedSignal, hearRelease, 'The balance allows this parked run to submit again'],
];

type Hear = (heard: Heard) => void;

/** Connects a run to its messages. To be called before the first await, so that no early signal is lost. */
export function handleMessages(run: Run, hear: Hear): void {
  for (const [signal, read, description] of SIGNALS)
    setHandler(signal, (said) => hear(read(run.now(), said)), { description });
  setHandler(messages.progressQuery, () => progressOf(run.now(), run.request), {
    description: 'What the generation is doing',
  });
  setHandler(messages.checkNowUpdate, () => checkNow(run, hear), {
    description: 'Polls the task now, or tries again now if the run waits for credits',
  });
  setHandler(messages.decideUpdate, (decision) => decide(run, hear, decision), {
    // It throws, and the decision leaves no trace in the history.
    validator: (decision) => {
      const wrong = whatIsWrongWith(run, decision);
      if (wrong !== undefined) throw new Error(wrong);
    },
    description: 'Says what to do: { "action": "resubmit" | "adopt" | "fail", "taskId"?, "otherInput"? }',
  });
}

async function checkNow(run: Run, hear: Hear): Promise<Progress> {
  const { state } = viewOf(run.now());
  if (state === 'waiting' || state === 'parked' || state === 'storing') {
    const { heard } = run.now();
    const looks = heard.looks + 1;
    hear({ ...heard, looks });
    await condition(() => run.now().looked >= looks || viewOf(run.now()).state !== state);
  }
  return progressOf(run.now(), run.request);
}

async function decide(run: Run, hear: Hear, decision: Decision): Promise<DecisionAnswer> {
  const looked = decision.action === 'adopt' ? await lookAtTask(run, decision) : {};
  // Since it was accepted another person may have decided, or the task have come.
  const { wrong = whatIsWrongWith(run, decision), warning } = looked;
  if (wrong !== undefined) throw notObeyed(wrong);
  const { heard } = run.now();
  const count = heard.decisions.count + 1;
  const { action, taskId } = decision;
  const latest = {
    action,
    ...given({ taskId, foreign: warning === undefined ? undefined : (true as const) }),
  };
  hear({ ...heard, decisions: { count, latest } });
  await condition(() => run.now().decided.count >= count);
  const { refusal, note } = run.now().decided;
  if (refusal !== undefined) throw notObeyed(refusal);
  const notes = [note, warning].filter((one) => one !== undefined);
  return { ...progressOf(run.now(), run.request), note: notes.length === 0 ? null : notes.join('; ') };
}

function notObeyed(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: 'INVALID_REQUEST', message, nonRetryable: true });
}

/** A person who mistypes a task's id, or names that of another generation or input, is told so at once. */
async function lookAtTask(run: Run, decision: Decision): Promise<{ wrong?: string; warning?: string }> {
  const { workspace, request } = run;
  const { taskId = '', otherInput } = decision;
  const told = await judge(run, run.now(), taskId);
  const named = shown(taskId);
  // Its name was not to be taken: so it is the API that does not know it.
  if (told.kind === 'again' && told.forSome === true)
    return {
      wrong: `taskId must name a task that the API knows in workspace ${workspace}: it knows no ${named}`,
    };
  if (told.kind !== 'useless') return {};
  const { heldBy, differs } = told;
  if (heldBy !== undefined)
    return {
      wrong: `taskId must name a task that nobody else has: ${named} is the one of ${heldBy}, where it counts`,
    };
  if (differs === undefined) return {};
  const fields = differs.map((name) => shown(name)).join(', ') || 'its fields';
  const what = `${named} is of another model or input than this run's ${request.model} (different: ${fields})`;
  return otherInput === true
    ? { warning: `${what}; what it has cost is not charged to this run` }
    : {
        wrong: `taskId must name a task of this run's model and input: ${what}. To take it all the same, uncharged, add "otherInput": true (--other-input on the command line)`,
      };
}

/** Undefined when the run can follow the decision. */
function whatIsWrongWith(run: Run, decision: Partial<Decision> | null | undefined): string | undefined {
  const state = run.now();
  const { adoptOnly } = run.request;
  if (pendingDecision(state) !== undefined) return 'another decision came first';
  if (state.stage.at !== 'ask')
    return `this run does not wait for a decision: its state is "${viewOf(state).state}"`;
  const action = DECISIONS.find((one) => one === decision?.action);
  if (action === undefined) return 'action must be "resubmit", "adopt" or "fail"';
  if (!decisionsFor(run.request).includes(action))
    return `action must be "adopt" or "fail": nothing may be bought for this run: ${adoptOnly?.message}`;
  return action === 'adopt' && !isTaskId(decision?.taskId) ? 'taskId must name the task to adopt' : undefined;
}

// What a message adds to what was heard; one that tells nothing leaves all as it is.

/** A webhook's hint. One that is dropped is made up for by the next poll. */
function hearEnd({ heard }: State, event: unknown): Heard {
  const end = readTaskEnd(event);
  if (end === undefined) return heard;
  const news = (heard.ended.at(-1)?.[1] ?? 0) + 1;
  return withArtifacts({ ...heard, ended: put(heard.ended, end.taskId, news) }, end);
}

function hearGrant({ heard }: State, said: unknown): Heard {
  const grant = readGrant(said);
  const isFull = heard.grants.length >= MOST_KEPT;
  if (grant === undefined || (isFull && valueOf(heard.grants, grant.claimId) === undefined)) return heard;
  const { claimId, taskId, credits } = grant;
  const prices = credits === undefined ? heard.prices : put(heard.prices, taskId, credits);
  return withArtifacts({ ...heard, grants: put(heard.grants, claimId, taskId), prices }, grant);
}

/** Of a submit that this run has not given up, because a Reset has brought it back, it is a grant. */
function hearProof(state: State, said: unknown): Heard {
  const { heard, attempts } = state;
  const claimId = readId(said, 'claimId');
  if (claimId === undefined || !attempts.some((one) => one.claimId === claimId))
    return hearGrant(state, said);
  const proof = readProof(said);
  return proof === undefined ? heard : { ...heard, proofs: put(heard.proofs, proof.claimId, proof) };
}

/** Of the submit that is looked for now. */
function hearBegunLook({ heard, stage }: State, said: unknown): Heard {
  const since = submitTimeOf(readId(said, 'claimId') ?? '');
  if (!('search' in stage) || since !== Math.round(stage.search.unknown.since)) return heard;
  return { ...heard, begunLooks: heard.begunLooks + 1 };
}

function hearNotSent({ heard }: State, said: unknown): Heard {
  const submit = readNotSent(said);
  return { ...heard, notSent: withOne(heard.notSent, submit && submitKey(submit)) };
}

function hearRelease({ heard }: State, said: unknown): Heard {
  return { ...heard, released: withOne(heard.released, readId(said, 'parkId')) };
}

function withOne(ids: readonly string[], id: string | undefined): readonly string[] {
  return id === undefined || ids.length >= MOST_KEPT ? ids : [...ids, id];
}

/** Counts only while the run submits. */
function hearHeldUp({ heard, stage }: State, said: unknown): Heard {
  const { reason, by } = isRecord(said) ? said : {};
  if (reason === null) return { ...heard, heldUp: undefined };
  const words = typeof reason === 'string' ? reason.slice(0, LONGEST_REASON).toWellFormed() : shown(reason);
  const heldUp = { reason: words, ...(by === 'budget' ? { by: 'budget' as const } : {}) };
  return stage.at === 'submit' ? { ...heard, heldUp } : heard;
}

function withArtifacts(heard: Heard, told: { taskId: string; artifacts?: readonly string[] }): Heard {
  if (told.artifacts === undefined) return heard;
  return { ...heard, artifacts: put(heard.artifacts, told.taskId, told.artifacts, MOST_WITH_ARTIFACTS) };
}
