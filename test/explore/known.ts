import type { Account } from './rule.ts';

/** A violation that stands in today's code, and the shape that would make it impossible. */
export interface Known {
  /** Cells, with `*` for any text. */
  cells: readonly string[];
  /** Which sentences of the rule are broken there: nothing else is excused. */
  breaks: readonly (keyof Account)[];
  /** What goes wrong. */
  why: string;
  /** What is wanted instead. */
  shape: string;
}

/** The violations that are known. Nothing else is excused, and what does not happen any more leaves the table. */
export const KNOWN: readonly Known[] = [
  {
    cells: ['asked, resubmit/*/reset*', 'asked, adopt/*/reset*'],
    breaks: ['asked'],
    why: 'A Reset to the beginning of a question mostly takes over what the run that was Reset had got since; sometimes it asks first, and the decision that Temporal repeats answers. Nothing is bought again.',
    shape:
      'What earlier runs have bought is looked for when a run goes on for a Reset, before anything else.',
  },
  {
    cells: ['rejected, another seed lost/*/reset, earlier run deleted'],
    breaks: ['extra'],
    why: 'A run that had drawn another seed is Reset and deleted: its submit is looked for with the seed of the request, which the task does not have.',
    shape: 'What a deleted run has bought is looked for whatever its seed, where the policy draws another.',
  },
  {
    cells: ['two deployments, an equal one lost/*/*'],
    breaks: ['lost', 'sums'],
    why: 'Two deployments share a workspace, and each has a submit of the same input in flight: the evidence of one is granted to the lost submit of the other, which does not know of the first. Both charge themselves for the task.',
    shape: 'Evidence belongs to the workspace, and not to the deployment whose receiver has heard of it.',
  },
  {
    cells: ['two deployments, an equal one lost/*/worker frozen and thawed'],
    breaks: ['extra'],
    why: 'The answers of both deployments are lost. Each looks for the one task that is told, and leaves it to the other one, which looks for it, too; then both buy again.',
    shape: 'Evidence belongs to the workspace, and not to the deployment whose receiver has heard of it.',
  },
  {
    cells: ['own workflow*/*/children deleted, terminate, start anew'],
    breaks: ['extra'],
    why: 'An own workflow is started anew after the generations that it had bought are deleted: their results stand in the history of its earlier run, which a first run does not look for.',
    shape: 'Absence of history is "unknown"; a purchase has a name that outlives its run.',
  },
  {
    cells: ['own workflow*/*/children deleted, terminate, start anew'],
    breaks: ['lost'],
    why: 'The same: the child that is bought again has another URL, so that the next one is another request, and its name is in use.',
    shape: 'A step is named by what it buys.',
  },
];

/** The known violation that a finding at a cell is. */
export function knownAt(cell: string, finding: string): Known | undefined {
  return KNOWN.find(
    ({ cells, breaks }) =>
      breaks.some((sentence) => finding.startsWith(`${sentence}: `)) &&
      cells.some((pattern) => matches(pattern, cell)),
  );
}

/** Whether a text is as a pattern says, in which `*` stands for any text. */
export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
