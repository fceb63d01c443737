import type { Usage } from '../../api/records/usage.ts';
import { wellFormed } from '../../api/text/well-formed.ts';
import type { Attempt, GenerationOutput, GenerationState } from '../../contract/generation.ts';
import { markdownRow, markdownTable } from '../markdown-table.ts';
import { whatToDo } from '../what-to-do.ts';

/** The latest attempts that are shown, and the outputs: the UI takes 20 KB. */
const MAX_SHOWN = 20;
const MAX_TEXT = 1_000;

/** How a run has ended. */
export type RunEnd =
  | { kind: 'completed'; outputs: readonly GenerationOutput[] }
  | { kind: 'failed'; type: string; message: string }
  | { kind: 'cancelled' };

/** What is shown of a run. */
export interface ShownRun {
  workflowId: string;
  request: { model: string };
  workspace: string;
  state: GenerationState;
  note: string | undefined;
  /** What its policy says that can hardly be meant. */
  policyDoubt?: string | undefined;
  /** What a person is asked, in Markdown. */
  question: string | undefined;
  task: { taskId: string; usage: Usage; adopted: boolean } | undefined;
  attempts: readonly Attempt[];
  ended: RunEnd | undefined;
  usage(): Usage;
  /** What this very run has bought; undefined until it has ended. */
  charged: Usage | undefined;
}

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
export function describeRun(run: ShownRun): string {
  const { total, subscription, permanent } = run.usage();
  return [
    `**${headline(run)}** — \`${run.request.model}\`, workspace \`${run.workspace}\``,
    ...(run.note === undefined ? [] : [`> ${inline(run.note)}`]),
    ...(run.policyDoubt === undefined ? [] : [`> ${inline(run.policyDoubt)}`]),
    ...(run.question === undefined ? [] : [run.question]),
    ...story(run),
    ...table(run),
    `Credits: **${total}** (subscription ${subscription}, permanent ${permanent})${ownShare(run)}`,
  ].join('\n\n');
}

/** What this run has bought itself, where an earlier one has bought the rest. */
function ownShare(run: ShownRun): string {
  const { charged } = run;
  if (charged === undefined || charged.total === run.usage().total) return '';
  return `; charged by this run: **${charged.total}**, the rest by earlier runs`;
}

function headline({ state, ended, note }: ShownRun): string {
  if (ended?.kind === 'completed') return 'Completed';
  if (ended?.kind === 'failed') return `Failed: ${ended.type}`;
  if (ended !== undefined) return 'Cancelled';
  return state === 'submitting' && note !== undefined ? 'Starting' : STATES[state];
}

/** How it has ended, and what follows for a person. */
function story(run: ShownRun): string[] {
  const { workflowId, ended, attempts } = run;
  if (ended?.kind === 'failed') {
    const details = { attempts: [...attempts], usage: run.usage() };
    return [inline(ended.message), whatToDo({ kind: 'generation', workflowId, type: ended.type, details })];
  }
  if (ended?.kind === 'cancelled')
    return ['The API has no cancel call: a task that was bought goes on there. A Reset adopts it.'];
  const outputs = ended?.outputs ?? [];
  const links = outputs.slice(0, MAX_SHOWN).map(({ url, contentType, stored }, index) => {
    const name = `${index}${contentType === null ? '' : `: ${contentType}`}`;
    return `- [${inline(name)}](${encodeURI(decode(url))}), stored at \`${stored.uri}\``;
  });
  return links.length === 0 ? [] : [['Outputs:', '', ...links].join('\n')];
}

function table({ attempts, task }: ShownRun): string[] {
  const first = Math.max(0, attempts.length - MAX_SHOWN);
  const rows = attempts.slice(first).map((attempt, index) => row(first + index + 1, attempt));
  if (task !== undefined)
    rows.push(row(attempts.length + 1, { ...task, outcome: 'open', code: null, settledBy: null }));
  if (rows.length === 0) return [];
  return [markdownTable(['#', 'task', 'outcome', 'credits'], rows)];
}

function row(
  number: number,
  {
    taskId,
    outcome,
    code,
    usage,
    settledBy,
    adopted,
  }: Omit<Attempt, 'outcome'> & { outcome: Attempt['outcome'] | 'open' },
): string {
  const how = [
    outcome,
    code === null ? [] : `\`${code}\``,
    settledBy === null ? [] : `by ${settledBy}`,
  ].flat();
  const id = taskId === null ? '–' : `\`${cell(taskId)}\`${adopted ? ' (adopted)' : ''}`;
  return markdownRow([String(number), id, how.join(', '), String(usage.total)]);
}

/** Text from elsewhere on one line, with nothing in it that Markdown takes for more than text. */
export function inline(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return cut.replaceAll(/\s+/g, ' ').replaceAll(/[[\]<>|]/g, (character) => `\\${character}`);
}

function cell(text: string): string {
  return text.slice(0, 100).replaceAll(/[`|\n]/g, '');
}

/** A URL as it is meant, so that it is encoded once; one that can be encoded without a throw. */
function decode(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return wellFormed(url);
  }
}
