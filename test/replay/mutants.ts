/** A change of a workflow that its recorded histories must not survive: a timer of a millisecond at a place on its way. */
export interface Mutant {
  /** Where the timer is. */
  what: string;
  /** The head of the function that begins with it, as it stands in the bundle: the source without its types. */
  in: string;
  /** The histories that take that way, by `<scenario>.<workflow type>`. */
  shownBy: readonly string[];
}

const GOING_ON = [
  ['a generation', 'continued-while-waiting.generation'],
  ['a pipeline', 'continued-pipeline.pipeline'],
  ['a batch', 'continued-batch.batch'],
  ['unclaimed-tasks', 'continued-evidence.unclaimedTasks'],
  ['a credit-gate', 'continued-gate.creditGate'],
  ['a submit-pace', 'continued-pace.submitPace'],
  ['an account', 'continued-account.account'],
] as const;

export const MUTANTS: readonly Mutant[] = [
  {
    what: 'a timer before each submit',
    in: 'async function submitNow(before, stage, run) {',
    shownBy: ['resubmitted.generation'],
  },
  {
    what: 'a timer after a submit',
    in: 'async function takeIn(run, before, stage, told) {',
    shownBy: ['settled-by-webhook.generation'],
  },
  {
    what: 'a timer before a submit is checked that has told nothing',
    in: 'async function afterUnchecked(run, state, unknown) {',
    shownBy: ['lost-before-it-was-checked.generation'],
  },
  {
    what: 'a timer before a task is waited for',
    in: 'async function wait(before, stage, run) {',
    shownBy: ['settled-by-webhook.generation'],
  },
  {
    what: 'a timer before files are stored',
    in: 'async function store(before, stage, run) {',
    shownBy: ['stored-when-a-person-says-so.generation'],
  },
  {
    what: 'a timer before the task of a lost submit is looked for',
    in: 'async function reconcile(before, stage, run) {',
    shownBy: ['lost-and-claimed.generation'],
  },
  {
    what: 'a timer before a person is asked about a submit',
    in: 'async function beginAsking(run, before, search, why) {',
    shownBy: ['decided-by-a-person.generation'],
  },
  {
    what: 'a timer while a person is asked about a submit',
    in: 'async function askAboutSubmit(run, before, stage) {',
    shownBy: ['decided-by-a-person.generation'],
  },
  {
    what: 'a timer before a decision is done',
    in: 'async function obey(run, before, stage, decision) {',
    shownBy: ['decided-by-a-person.generation'],
  },
  {
    what: 'a timer before a person is asked about a task',
    in: 'async function askAboutTask(run, before, { wait }) {',
    shownBy: ['asked-about-a-task-that-comes-back.generation'],
  },
  {
    what: 'a timer before a run is parked',
    in: 'async function park(state, stage, run) {',
    shownBy: ['parked.generation'],
  },
  {
    what: 'a timer in a run that is cancelled',
    in: 'async function chargedBy(run, before) {',
    shownBy: ['cancelled.generation'],
  },
  {
    what: 'a timer before a pipeline is checked',
    in: 'async function begin(run) {',
    shownBy: ['pipeline-partial.pipeline'],
  },
  {
    what: "a timer before a step's generation is started",
    in: 'async function start(run, path, { earlier }) {',
    shownBy: ['pipeline-partial.pipeline'],
  },
  {
    what: 'a timer before a person is asked about a step',
    in: 'async function ask(run, name) {',
    shownBy: ['pipeline-approved-and-held.pipeline'],
  },
  {
    what: 'a timer before a batch reads its rows',
    in: 'async function batch(request, handedOn) {',
    shownBy: ['batch.batch'],
  },
  {
    what: "a timer in a batch's page",
    in: 'async function batchRows(page) {',
    shownBy: ['batch.batchRows'],
  },
  {
    what: 'a timer before unclaimed-tasks tells of a look',
    in: 'async function tellOfLook({ claimId, workflowId, runId }) {',
    shownBy: ['looked-at-while-asking.unclaimedTasks'],
  },
  {
    what: 'a timer before unclaimed-tasks looks at tasks',
    in: 'async function lookAt(book, workspace, batch) {',
    shownBy: ['lost-and-claimed.unclaimedTasks'],
  },
  {
    what: 'a timer before unclaimed-tasks takes the names of tasks',
    in: 'async function takeNames(book, names) {',
    shownBy: ['lost-and-claimed.unclaimedTasks', 'given-up-and-proven.unclaimedTasks'],
  },
  {
    what: 'a timer before a credit-gate looks at the balance',
    in: 'async function creditGate(asked) {',
    shownBy: ['parked.creditGate'],
  },
  {
    what: 'a timer before a submit-pace sets the rate',
    in: 'async keepPace() {',
    shownBy: ['slowed-down.submitPace'],
  },
  {
    what: 'a timer before a worker is asked what it can use',
    in: 'async function checkOn(queue) {',
    shownBy: ['checked-from-its-place.darkroomCheck'],
  },
  {
    what: 'a timer before an account begins',
    in: 'async function account(asked) {',
    shownBy: ['reserved-and-never-told.account'],
  },
  ...GOING_ON.map(([who, history]) => ({
    what: `a timer before ${who} goes on in a new run`,
    in: 'async function goOn(...args) {',
    shownBy: [history],
  })),
];

/** In the sandbox of a workflow, Node's timers are Temporal's. */
const TIMER = 'await new Promise((resolve) => setTimeout(resolve, 1));';

/**
 * The bundle with that change.
 *
 * @throws Error where the function is not there, or there twice
 */
export function mutated({ code }: { code: string }, { in: head }: Pick<Mutant, 'in'>): { code: string } {
  const [before, after, ...more] = code.split(head);
  if (after === undefined || more.length > 0)
    throw new Error(`${head}: ${more.length + 1} in the bundle, not one`);
  return { code: `${before}${head} ${TIMER}${after}` };
}
