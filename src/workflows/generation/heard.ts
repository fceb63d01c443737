import { isRecord } from '../../api/json/is-record.ts';
import { shown } from '../../api/text/shown.ts';
import { submitTimeOf } from '../../contract/entities/claims.ts';
import {
  readBegunLook,
  readGrant,
  readNotSent,
  readProof,
  readRelease,
  readTaskEnd,
} from '../../contract/generation-messages.ts';
import { submitKey } from '../../contract/tasks/submit-task.ts';
import { type Entries, type Heard, type State, valueOf } from './state.ts';

/** Of each kind of message so many are kept: anybody may send them, and what is carried on has to fit into a payload. */
const MOST_KEPT = 500;
/** Characters of what holds a submit up. */
const LONGEST_REASON = 300;
/** Of so many tasks the files are kept: an event may come before the submit's answer has named its task. */
const MOST_WITH_ARTIFACTS = 3;

// What a message adds to what was heard; one that tells nothing leaves all as it is.

/** A webhook's hint. One that is dropped is made up for by the next poll. */
export function hearEnd({ heard }: State, event: unknown): Heard {
  const end = readTaskEnd(event);
  if (end === undefined) return heard;
  const news = (heard.ended.at(-1)?.[1] ?? 0) + 1;
  return withArtifacts({ ...heard, ended: put(heard.ended, end.taskId, news) }, end);
}

export function hearGrant({ heard }: State, said: unknown): Heard {
  const grant = readGrant(said);
  const isFull = heard.grants.length >= MOST_KEPT;
  if (grant === undefined || (isFull && valueOf(heard.grants, grant.claimId) === undefined)) return heard;
  const { claimId, taskId, credits } = grant;
  const prices = credits === undefined ? heard.prices : put(heard.prices ?? [], taskId, credits);
  return withArtifacts({ ...heard, grants: put(heard.grants, claimId, taskId), prices }, grant);
}

/** Of a submit that this run has not given up, because a Reset has brought it back, it is a grant. */
export function hearProof(state: State, said: unknown): Heard {
  const { heard, doubts } = state;
  const claimId = isRecord(said) ? said['claimId'] : undefined;
  if (!doubts.some(([id]) => id === claimId)) return hearGrant(state, said);
  const proof = readProof(said);
  return proof === undefined ? heard : { ...heard, proofs: put(heard.proofs, proof.claimId, proof) };
}

/** Of the submit that is looked for now. */
export function hearBegunLook({ heard, stage }: State, said: unknown): Heard {
  const since = submitTimeOf(readBegunLook(said) ?? '');
  if (!('search' in stage) || since !== Math.round(stage.search.unknown.since)) return heard;
  return { ...heard, begunLooks: (heard.begunLooks ?? 0) + 1 };
}

export function hearNotSent({ heard }: State, said: unknown): Heard {
  const submit = readNotSent(said);
  if (submit === undefined || heard.notSent.length >= MOST_KEPT) return heard;
  return { ...heard, notSent: [...heard.notSent, submitKey(submit)] };
}

export function hearRelease({ heard }: State, said: unknown): Heard {
  const parkId = readRelease(said);
  if (parkId === undefined || heard.released.length >= MOST_KEPT) return heard;
  return { ...heard, released: [...heard.released, parkId] };
}

/** Counts only while the run submits. */
export function hearHeldUp({ heard, stage }: State, said: unknown): Heard {
  const { reason, by } = isRecord(said) ? said : {};
  if (reason === null) return { ...heard, heldUp: undefined };
  const words = typeof reason === 'string' ? reason.slice(0, LONGEST_REASON).toWellFormed() : shown(reason);
  const heldUp = { reason: words, ...(by === 'budget' ? { by: 'budget' as const } : {}) };
  return stage.at === 'submit' ? { ...heard, heldUp } : heard;
}

/** Grows with each event that tells that a task has ended; 0: none has. */
export function newsOf({ ended }: Heard, taskId: string): number {
  return valueOf(ended, taskId) ?? 0;
}

function withArtifacts(heard: Heard, told: { taskId: string; artifacts?: readonly string[] }): Heard {
  if (told.artifacts === undefined) return heard;
  return { ...heard, artifacts: put(heard.artifacts, told.taskId, told.artifacts, MOST_WITH_ARTIFACTS) };
}

/** As the latest of at most so many. */
function put<T>(entries: Entries<T>, key: string, value: T, most = MOST_KEPT): Entries<T> {
  return [...entries.filter(([one]) => one !== key), [key, value] as const].slice(-most);
}
