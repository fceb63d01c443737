import { NO_USAGE, type Usage } from '../../api/records/usage.ts';
import { jsonBytes, utf8Bytes } from '../../contract/json-bytes.ts';
import { MOST_SHOWN_BYTES } from '../../contract/limits.ts';
import type { PipelineProgress, StepProgress } from '../../contract/pipeline.ts';
import { WAITING_FOR_BUDGET } from '../../contract/search-attributes.ts';
import { commandToDecide } from '../command-to-decide.ts';
import { markdownRow, markdownTable } from '../markdown-table.ts';
import { inline } from '../markdown-text.ts';
import { whatToDo } from '../what-to-do.ts';
import { type Asked, QUESTIONS } from './questions.ts';
import type { PipelineEnded } from './state.ts';

/** Generations that are listed of a step; of more the number is told. */
const LISTED = [20, 5, 1, 0];
/** What is shown first where there is no room for all: what a person is asked, then what runs. */
const RANK = { approval: 0, held: 0, running: 1, pending: 2, done: 3 } as const;
/** Room for the number of what is left out, and for what was spent. */
const FRAME = 300;
/** Steps whose updates are shown; of more the number is told. */
const MAX_ASKED = 4;
/** Steps of which it is told why they are not completed, and items of a fan-out that have links. */
const MAX_REASONS = 10;
const MAX_LINKS = 5;

/** What is told of a pipeline beside its steps. */
export interface AboutPipeline {
  workflowId: string;
  namespace: string;
  workspace: string;
  /** Credits. */
  budget: number | undefined;
  ended: PipelineEnded | undefined;
}

/** What a pipeline is doing, as the query tells it: never more than the UI can show. */
export function boundProgress(
  steps: ReadonlyMap<string, StepProgress>,
  usage: PipelineProgress['usage'] = NO_USAGE,
): PipelineProgress {
  for (const listed of LISTED) {
    const all = [...steps].map(([name, step]): [string, StepProgress] => [name, shorten(step, listed)]);
    const progress = { steps: Object.fromEntries(all), usage };
    if (jsonBytes(progress) <= MOST_SHOWN_BYTES) return progress;
  }
  const shortest = [...steps].map(([name, step]): [string, StepProgress] => [name, shorten(step, 0)]);
  const chosen = fitting(
    shortest.toSorted(([, a], [, b]) => RANK[a.status] - RANK[b.status]),
    (step) => jsonBytes(step) + 1,
  );
  const shown = shortest.filter((step) => chosen.has(step));
  return { steps: Object.fromEntries(shown), omitted: steps.size - shown.length, usage };
}

/**
 * What the Temporal Web UI shows of a pipeline, in Markdown: how it stands, what it has cost, what a person can do. Its
 * pane is 460 pixels wide: a table of four short columns fits, what is longer stands below it.
 */
export function describePipeline(progress: PipelineProgress, about: AboutPipeline): string {
  const { steps, omitted = 0, usage } = progress;
  const { workspace, ended } = about;
  const all = Object.entries(steps);
  const head = [
    `**${headline(progress, ended)}** — ${countDone(progress)}, workspace \`${workspace}\``,
    ...troubles(steps, ended),
    ...story(about),
    ...questions(steps, about),
  ].join('\n\n');
  const cost = describeCost(usage, about);
  const rows = all.map(([name, step]) => row(name, step, about));
  const reasons = all.flatMap(([name, step]) => reason(name, step)).slice(0, MAX_REASONS);
  const others = [head, cost, ...reasons].reduce((sum, text) => sum + utf8Bytes(text) + 2, 0);
  const shown = [...fitting(rows, (one) => utf8Bytes(one) + 1, others)];
  const left = rows.length - shown.length + omitted;
  return [
    head,
    markdownTable(['step', 'state', 'credits', 'model'], shown),
    ...(left === 0 ? [] : [`and ${left} more steps`]),
    ...(reasons.length === 0 ? [] : [reasons.join('\n')]),
    cost,
  ].join('\n\n');
}

function headline({ steps }: PipelineProgress, ended: PipelineEnded | undefined): string {
  if (ended?.kind === 'completed')
    return ended.status === 'COMPLETED' ? 'Completed' : `Ended: ${ended.status}`;
  if (ended?.kind === 'failed') return `Failed: ${ended.type}`;
  if (ended?.kind === 'cancelled') return 'Cancelled';
  const all = Object.values(steps);
  if (all.some(({ status }) => status === 'held')) return 'Needs a decision';
  if (all.some(({ status }) => status === 'approval')) return 'Waiting for approval';
  const needs = all.flatMap((step) => step.needs ?? [])[0];
  return needs === undefined
    ? 'Running'
    : `Running; a step is ${needs === 'needs a decision' ? 'waiting for a decision' : needs}`;
}

function countDone({ steps, omitted = 0 }: PipelineProgress): string {
  const all = Object.values(steps);
  const done = all.filter(({ status }) => status === 'done').length;
  return `${done} of ${all.length + omitted} steps done${omitted === 0 ? '' : ', at least'}`;
}

/** What holds up generations that run: what to do about it is said there. */
function troubles(steps: PipelineProgress['steps'], ended: PipelineEnded | undefined): string[] {
  if (ended !== undefined) return [];
  return Object.entries(steps)
    .filter(([, { needs }]) => needs !== undefined)
    .slice(0, MAX_ASKED)
    .map(
      ([name, { needs = '', note = '' }]) =>
        `> step \`${name}\`: ${inline(needs)}${note === '' ? '' : `: ${inline(note).replace(/\.$/, '')}`}. ${needs === WAITING_FOR_BUDGET ? 'It goes on by itself.' : 'What can be done is told by its generation.'}`,
    );
}

function story({ workflowId, ended }: AboutPipeline): string[] {
  if (ended?.kind === 'failed')
    return [inline(ended.message), whatToDo({ ...ended, kind: 'pipeline', workflowId })];
  if (ended?.kind === 'cancelled')
    return ['The API has no cancel call: tasks that were bought go on there. A Reset takes them over.'];
  return [];
}

function questions(steps: PipelineProgress['steps'], { workflowId, ended }: AboutPipeline): string[] {
  if (ended !== undefined) return [];
  const asked = Object.entries(steps).flatMap(([name, { status, note }]) =>
    status === 'approval' || status === 'held' ? howToAnswer(workflowId, name, status, note) : [],
  );
  const more = asked.length - MAX_ASKED;
  return [
    ...asked.slice(0, MAX_ASKED),
    ...(more > 0 ? [`and ${more} more steps wait for a person, in the same way`] : []),
  ];
}

function row(name: string, step: StepProgress, { namespace }: AboutPipeline): string {
  const { workflowIds, more = 0, credits, model } = step;
  const [only] = workflowIds;
  const page = (id: string): string => `/namespaces/${namespace}/workflows/${encodeURIComponent(id)}`;
  const count = workflowIds.length + more;
  const links = workflowIds.slice(0, MAX_LINKS).map((id) => `[${id.split('/').at(-1)}](${page(id)})`);
  const others = count > links.length ? ` +${count - links.length}` : '';
  const title =
    count === 1 && only !== undefined
      ? `[${name}](${page(only)})`
      : `${name}${count === 0 ? '' : ` ${links.join(' ')}${others}`}`;
  const cost = credits === undefined ? '' : String(credits);
  return markdownRow([title, stateOf(step), cost, model.replaceAll('-', '\u2011')]);
}

function stateOf({ status, outcome, needs, note }: StepProgress): string {
  if (status === 'done') return (outcome ?? 'done').toLowerCase();
  if (status === 'approval') return QUESTIONS.approval.state;
  if (status === 'pending') return note ?? 'waiting for its inputs';
  return status === 'running' && needs !== undefined ? `**${inline(needs)}**` : status;
}

/** Why a step is not completed. */
function reason(name: string, { status, outcome, note }: StepProgress): string[] {
  if (status !== 'done' || note === undefined) return [];
  return [`- **${name}** ${(outcome ?? '').toLowerCase()}: ${inline(note).slice(0, 200)}`];
}

function describeCost({ total, subscription, permanent }: Usage, { budget, ended }: AboutPipeline): string {
  const pools = total === 0 ? '' : ` (subscription ${subscription}, permanent ${permanent})`;
  const charged = ended === undefined || ended.kind === 'cancelled' ? total : ended.charged.total;
  return [
    `Credits: **${total}**${pools}`,
    ...(charged === total ? [] : [`charged by this run: **${charged}**, the rest by earlier runs`]),
    ...(budget === undefined ? [] : [`budget ${budget}`]),
  ].join('; ');
}

function shorten(step: StepProgress, listed: number): StepProgress {
  const { workflowIds, more = 0 } = step;
  if (workflowIds.length <= listed) return step;
  return {
    ...step,
    workflowIds: workflowIds.slice(0, listed),
    more: more + workflowIds.length - listed,
  };
}

/** The first ones that have room together, beside so many other bytes. */
function fitting<T>(all: readonly T[], bytesOf: (one: T) => number, others = 0): Set<T> {
  const chosen = new Set<T>();
  let left = MOST_SHOWN_BYTES - FRAME - others;
  for (const one of all) {
    left -= bytesOf(one);
    if (left < 0) break;
    chosen.add(one);
  }
  return chosen;
}

/** What a person can say about a step, ready to be copied: each update with its input, in Markdown. */
function howToAnswer(workflowId: string, step: string, kind: Asked, why = ''): string {
  const { is, updates, answers } = QUESTIONS[kind];
  const choices = Object.entries(answers).map(([action, does]) => {
    const update = updates.find((one) => one === action);
    const said = update === undefined ? { step, action } : { step };
    return `- \`${update ?? updates[0]}\` with \`${JSON.stringify(said)}\` ${does}`;
  });
  const [first] = Object.keys(answers);
  const because = kind === 'held' && why !== '' ? `: ${inline(why).replace(/\.$/, '')}` : '';
  return [
    `Step \`${step}\` ${is}${because}. Send one of these updates to this run (*More Actions → Send an Update*):`,
    choices.join('\n'),
    `${commandToDecide(workflowId, `${first} --step ${step}`)}. With \`"input": {…}\` \`${first}\` takes another input.`,
  ].join('\n\n');
}
