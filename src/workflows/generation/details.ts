import type { Attempt, Decision, GenerationState } from '../../contract/generation.ts';
import { WAITING_FOR_BUDGET } from '../../contract/search-attributes.ts';
import { doubtOf } from '../../policy/doubtful-policy.ts';
import { commandToDecide } from '../command-to-decide.ts';
import { markdownRow, markdownTable } from '../markdown-table.ts';
import { inline, inlineCode, link } from '../markdown-text.ts';
import { whatToDo } from '../what-to-do.ts';
import { accountOf, attemptsOf, usageOf } from './attempts.ts';
import { billOf, decisionsFor, type View, viewOf } from './projections.ts';
import type { HeldTask } from './stage.ts';
import type { Run, State } from './state.ts';

/** The latest attempts that are shown, and the outputs: the UI takes 20 KB. */
const MAX_SHOWN = 20;

const STATES: Readonly<Record<GenerationState, string>> = {
  submitting: 'Submitting',
  waiting: 'Waiting for the task to finish',
  reconciling: 'Looking for the task of a submit whose answer got lost',
  parked: 'Waiting for credits',
  'needs a decision': 'Needs a decision',
  storing: 'Storing the files',
  done: 'Done',
};

/** What the Temporal Web UI shows of a run, in Markdown: how it stands, what it has cost, what a person can do. */
export function describeRun(run: Run, state: State): string {
  const { request, workspace } = run;
  const { usage, charged } = billOf(state);
  const isShared = charged.total !== usage.total;
  const view = viewOf(state);
  const { note } = view;
  const doubt = state.plan && doubtOf(state.plan.policy);
  return [
    `**${headline(state, view)}** — \`${request.model}\`, workspace \`${workspace}\``,
    ...(note === undefined ? [] : [`> ${inline(note)}`]),
    ...(doubt === undefined ? [] : [`> ${inline(doubt)}`]),
    ...(view.state === 'needs a decision' ? [howToDecide(run)] : []),
    ...story(run, state),
    ...table(state),
    `Credits: **${usage.total}** (subscription ${usage.subscription}, permanent ${usage.permanent})${isShared ? `; charged by this run: **${charged.total}**, the rest by earlier runs` : ''}`,
  ].join('\n\n');
}

function headline({ stage }: State, { state, need, note }: View): string {
  if (stage.at === 'done') {
    const { end } = stage;
    if (end.kind === 'failed') return `Failed: ${end.type}`;
    return end.kind === 'completed' ? 'Completed' : 'Cancelled';
  }
  if (need === WAITING_FOR_BUDGET) return 'Waiting for its budget';
  return stage.at === 'submit' && note !== undefined ? 'Starting' : STATES[state];
}

const EFFECTS: Readonly<Record<Decision['action'], string>> = {
  resubmit: '`{"action":"resubmit"}` submits again; if a task was bought already, that costs once more',
  adopt: '`{"action":"adopt","taskId":"…"}` takes the task that you have found at the API',
  fail: '`{"action":"fail"}` ends this run',
};

function howToDecide({ request, workflowId }: Run): string {
  const { adoptOnly } = request;
  const example = adoptOnly === undefined ? 'resubmit' : 'adopt --task …';
  const effects = decisionsFor(request).map((action) => `- ${EFFECTS[action]}`);
  return [
    ...(adoptOnly === undefined ? [] : [`Nothing may be bought for it: ${inline(adoptOnly.message)}`]),
    'Send the update `decide` to this run (*More Actions → Send an Update*), with one of these as its input:',
    effects.join('\n'),
    commandToDecide(workflowId, example),
  ].join('\n\n');
}

/** How it has ended, and what follows for a person. */
function story({ workflowId }: Run, state: State): string[] {
  const { stage } = state;
  if (stage.at !== 'done') return [];
  const { end } = stage;
  if (end.kind === 'failed') {
    const details = { attempts: attemptsOf(state), usage: usageOf(state) };
    const todo = whatToDo({ kind: 'generation', workflowId, type: end.type, details });
    return [inline(end.message), todo];
  }
  if (end.kind === 'cancelled')
    return ['The API has no cancel call: a task that was bought goes on there. A Reset adopts it.'];
  const { outputs } = end.result;
  const links = outputs.slice(0, MAX_SHOWN).map(({ url, contentType, stored }, index) => {
    const name = `${index}${contentType === null ? '' : `: ${contentType}`}`;
    return `- ${link(name, url)}, stored at \`${stored.uri}\``;
  });
  return links.length === 0 ? [] : [['Outputs:', '', ...links].join('\n')];
}

function table(state: State): string[] {
  const account = accountOf(state);
  const first = Math.max(0, account.length - MAX_SHOWN);
  const rows = account.slice(first).map((one, index) => row(first + index + 1, one));
  return rows.length === 0 ? [] : [markdownTable(['#', 'task', 'outcome', 'credits'], rows)];
}

const OPEN = { outcome: 'open', code: null, settledBy: null };

function row(number: number, one: Attempt | HeldTask): string {
  const { taskId, outcome, code, usage, settledBy, adopted } = { ...OPEN, ...one };
  const why = code === null ? [] : `\`${code}\``;
  const by = settledBy === null ? [] : `by ${settledBy}`;
  const id = taskId === null ? '–' : `${inlineCode(taskId)}${adopted ? ' (adopted)' : ''}`;
  return markdownRow([String(number), id, [outcome, why, by].flat().join(', '), String(usage.total)]);
}
