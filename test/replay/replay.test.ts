import { describe, expect, it } from 'vitest';
import { ACTIVITY_NAMES } from '../../src/contract/activity-names.ts';
import * as messages from '../../src/contract/messages.ts';
import { cachedWorkflows } from '../../src/worker/workflow-bundle.ts';
import '../setup/quiet-temporal.ts';
import { SHORT_SCENARIOS } from './continued.ts';
import {
  currentVersion,
  folderToRecordInto,
  HISTORIES,
  RELEASED,
  readRecorded,
  recordedHistories,
} from './histories.ts';
import { MUTANTS, mutated } from './mutants.ts';
import { notReplayed } from './replay.ts';
import { SCENARIOS } from './scenarios.ts';

/** How a history names activities, signals and updates; local activities in the payloads of their markers. */
const NAME = /"(?:name|signalName|activity_type)":"(\w+)"/g;
const PAYLOAD = /"data":"([A-Za-z0-9+/=]+)"/g;
const GOES_ON = '"EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW"';
/** The workflows that go on in new runs; a batch's page only waits. */
const LONG_LIVED = [
  'account',
  'batch',
  'creditGate',
  'generation',
  'pipeline',
  'submitPace',
  'unclaimedTasks',
];
/** Activities of other people's workflows (`src/workflow`): no workflow of ours calls them. */
const OF_OTHERS: ReadonlySet<string> = new Set(['lookAtPipeline', 'roundOfAttempt']);
/** What comes after a day, and is called from one place. */
const LATE: ReadonlySet<string> = new Set(['hasRuns']);

const stored = await recordedHistories();
const current = await currentVersion();
const ofToday = stored.filter(({ version }) => version === current);
const bundle = await cachedWorkflows();

describe('a stored history', () => {
  it('exists of the current version for every path that is pinned', () => {
    const recorded = new Set(ofToday.map(({ scenario }) => scenario));
    const pinned = Object.keys({ ...SCENARIOS, ...SHORT_SCENARIOS });
    expect(pinned.filter((name) => !recorded.has(name))).toEqual([]);
  });

  it('is of a version that is released, or of the one in work', () => {
    const versions = new Set(stored.map(({ version }) => version));
    expect(RELEASED.filter((version) => !versions.has(version))).toEqual([]);
    const known = new Set([...RELEASED, current]);
    expect([...versions].filter((version) => !known.has(version))).toEqual([]);
  });

  it('of the current version shows every activity, every message and every workflow over continue-as-new', async () => {
    const texts = await Promise.all(ofToday.map(readRecorded));
    const payloads = texts.flatMap((text) => [...text.matchAll(PAYLOAD)].map(([, data = '']) => atob(data)));
    const named = [...texts, ...payloads].flatMap((text) => [...text.matchAll(NAME)].map(([, name]) => name));
    const shown = new Set(named);
    const told = Object.values(messages).flatMap(({ name, type }) => (type === 'query' ? [] : name));
    const missing = [...ACTIVITY_NAMES, ...told].filter((name) => !shown.has(name));
    expect(missing.filter((name) => !OF_OTHERS.has(name) && !LATE.has(name))).toEqual([]);
    const goingOn = texts.flatMap((text, index) => (text.includes(GOES_ON) ? ofToday[index]?.type : []));
    expect([...new Set(goingOn)].toSorted()).toEqual(LONG_LIVED);
  });

  it('replays', async () => {
    expect(await notReplayed(bundle, stored)).toEqual(new Map());
  });
});

it('each change that must break running workflows has its place in the bundle, and histories that pass there', () => {
  const recorded = new Set(ofToday.map(({ scenario, type }) => `${scenario}.${type}`));
  for (const { shownBy, ...mutant } of MUTANTS) {
    expect(mutated(bundle, mutant).code).not.toBe(bundle.code);
    expect(shownBy.filter((name) => recorded.has(name))).not.toEqual([]);
  }
});

describe('recording', () => {
  it('writes into the folder of the version in work', () => {
    expect(folderToRecordInto('0.3.0', ['0.1.0', '0.2.0']).href).toBe(new URL('0.3.0/', HISTORIES).href);
  });

  it('refuses a version that is released', () => {
    expect(() => folderToRecordInto('0.2.0', ['0.1.0', '0.2.0'])).toThrow('set the next version');
  });
});
