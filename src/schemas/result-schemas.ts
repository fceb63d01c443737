import { DECISIONS } from '../contract/generation.ts';
import { DRAFT, objectOf, type Schema } from './object-of.ts';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const count = { type: 'integer', minimum: 0 };
const words = (says: string): Schema => ({ type: ['string', 'null'], description: says });
const measure = (unit: string): Schema => ({ type: ['number', 'null'], description: unit });
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const def = (name: string): Schema => ({ $ref: `#/$defs/${name}` });

/** All of these fields and no others; a name that ends in `?` may be absent. */
function record(fields: Readonly<Record<string, Schema>>, description?: string): Schema {
  const named = Object.entries(fields).map(([name, schema]) => [name.replace('?', ''), schema] as const);
  const required = Object.keys(fields).filter((name) => !name.endsWith('?'));
  return {
    ...(description === undefined ? {} : { description }),
    ...objectOf(Object.fromEntries(named), required),
  };
}

const $defs: Readonly<Record<string, Schema>> = {
  usage: record(
    { total: { type: 'number' }, subscription: { type: 'number' }, permanent: { type: 'number' } },
    'Credits.',
  ),
  attempt: record(
    {
      taskId: words('null for rejected and unknown'),
      outcome: { enum: ['completed', 'failed', 'canceled', 'overdue', 'vanished', 'rejected', 'unknown'] },
      code: words("the API's code, with its prefix"),
      usage: def('usage'),
      settledBy: { enum: ['webhook', 'poll', null] },
      adopted: { ...flag, description: 'taken over by a claim or from an earlier run' },
    },
    'A task that was bought or may have been, or a submit that was rejected for good.',
  ),
  output: record(
    {
      url: { ...text, description: "the API's: it may expire, the stored file does not" },
      contentType: words('a media type'),
      width: measure('pixels'),
      height: measure('pixels'),
      duration: measure('seconds'),
      stored: record({ uri: text, bytes: count, sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } }),
    },
    'A file of the result.',
  ),
  generation: record(
    {
      taskId: text,
      model: text,
      status: { const: 'COMPLETED' },
      data: { description: "the API's own; null where it was too large: `dataUri` names the file then" },
      outputs: listOf(def('output')),
      'dataUri?': text,
      usage: { ...def('usage'), description: 'all attempts together' },
      charged: { ...def('usage'), description: 'what this very run has bought of it' },
      attempts: listOf(def('attempt')),
    },
    'What the workflow `generation` returns.',
  ),
  failure: record(
    {
      attempts: listOf(def('attempt')),
      usage: def('usage'),
      charged: def('usage'),
      'errors?': listOf(record({ path: text, message: text }, 'A wrong field.')),
    },
    "The first detail of a failure: the type of the application failure is the API's code or one of docs/failures.md.",
  ),
  stepFailure: record({
    type: text,
    message: text,
    details: { description: "the failure's first detail, or null" },
  }),
  item: {
    oneOf: [
      record({
        status: { const: 'COMPLETED' },
        workflowId: text,
        result: def('generation'),
        'reused?': { const: true },
        'omitted?': { ...listOf({ enum: ['data', 'attempts', 'outputs'] }), description: 'to stay small' },
      }),
      record({ status: { const: 'FAILED' }, workflowId: text, failure: def('stepFailure') }),
      record({ status: { const: 'SKIPPED' }, workflowId: { type: 'null' }, failure: def('stepFailure') }),
    ],
  },
  step: {
    oneOf: [
      def('item'),
      record(
        {
          status: { enum: ['COMPLETED', 'PARTIAL', 'FAILED'] },
          workflowId: { type: 'null' },
          items: listOf(def('item')),
        },
        'A step that was fanned out.',
      ),
    ],
  },
  stepProgress: record({
    status: { enum: ['pending', 'approval', 'running', 'held', 'done'] },
    model: text,
    workflowIds: { ...listOf(text), description: 'of its generations, the first ones' },
    'more?': count,
    'outcome?': { enum: ['COMPLETED', 'PARTIAL', 'FAILED', 'SKIPPED'] },
    'credits?': { type: 'number' },
    'needs?': { ...text, description: 'what a generation of it waits for' },
    'note?': text,
  }),
  row: record({
    workflowId: text,
    state: text,
    'step?': text,
    'asks?': { enum: ['approval', 'held'] },
    'note?': text,
  }),
};

const counts = {
  completed: count,
  failed: count,
  refused: count,
  'refusal?': { ...text, description: 'why the budget did not admit the last of these' },
};

const ROOTS: Readonly<Record<string, Schema>> = {
  'generation-result': def('generation'),
  'generation-failure': def('failure'),
  'generation-progress': record(
    {
      state: {
        enum: ['submitting', 'waiting', 'reconciling', 'parked', 'needs a decision', 'storing', 'done'],
      },
      taskId: words('of the latest task'),
      attempts: listOf(def('attempt')),
      usage: def('usage'),
      nextPollAt: words('ISO 8601'),
      trouble: words('what holds the run up'),
      'decisions?': listOf({ enum: [...DECISIONS] }),
    },
    'Answer of the query `progress` of a generation, and of its update `checkNow`.',
  ),
  'pipeline-result': record(
    {
      status: { enum: ['COMPLETED', 'PARTIAL', 'FAILED'] },
      steps: { type: 'object', additionalProperties: def('step') },
      usage: def('usage'),
      charged: def('usage'),
      'boughtNothing?': { const: true, description: 'no task was bought, and none may have been' },
    },
    'What the workflow `pipeline` returns; the first detail of PIPELINE_FAILED.',
  ),
  'pipeline-progress': record(
    {
      steps: { type: 'object', additionalProperties: def('stepProgress') },
      'omitted?': { ...count, description: 'steps that are left out' },
      usage: def('usage'),
    },
    'Answer of the query `progress` of a pipeline.',
  ),
  'batch-result': record(
    {
      status: { enum: ['COMPLETED', 'PARTIAL', 'FAILED'] },
      rows: count,
      ...counts,
      usage: def('usage'),
      charged: def('usage'),
      known: {
        ...record({ begun: text, completed: text }),
        description: 'rows that were started, and have completed: a bit for each in hexadecimal',
      },
    },
    'What the workflow `batch` returns.',
  ),
  'batch-progress': record(
    {
      rows: count,
      ...counts,
      next: { ...count, description: 'rows before this one have been started, or settled' },
      running: listOf(count),
      attention: { ...listOf(def('row')), description: 'rows that need a look, at most twenty' },
      'moreAttention?': count,
      'waiting?': record(
        { rows: count, note: text },
        'Rows that wait for room in their budget, and go on by themselves.',
      ),
      usage: def('usage'),
      startedAt: text,
    },
    'Answer of the query `progress` of a batch.',
  ),
  callback: record(
    {
      type: { type: 'string', pattern: String.raw`^(generation|pipeline|batch)\.(completed|failed)$` },
      workflowId: text,
      runId: text,
      status: { enum: ['COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED'] },
    },
    'The body of a callback.',
  ),
};

/** What comes back, as JSON Schema, by file name: results, failures, answers to `progress`, callbacks. */
export const RESULT_SCHEMAS: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.entries(ROOTS).map(([name, root]) => [
    `${name}.json`,
    { $schema: DRAFT, title: name, ...root, $defs: needed(root) },
  ]),
);

/** The definitions that a schema leads to, and no others. */
function needed(root: Schema): Record<string, Schema> {
  const found = new Map<string, Schema>();
  const look = (schema: Schema): void => {
    for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      const one = $defs[name];
      if (one === undefined || found.has(name)) continue;
      found.set(name, one);
      look(one);
    }
  };
  look(root);
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
