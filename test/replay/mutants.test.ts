import { expect, it } from 'vitest';
import { cachedWorkflows } from '../../src/worker/workflow-bundle.ts';
import '../setup/quiet-temporal.ts';
import { currentVersion, recordedHistories } from './histories.ts';
import { MUTANTS, mutated } from './mutants.ts';
import { notReplayed } from './replay.ts';

const current = await currentVersion();
const ofToday = (await recordedHistories()).filter(({ version }) => version === current);
const bundle = await cachedWorkflows();

it.each(MUTANTS)(
  'a change that would break running workflows is noticed: $what',
  async ({ shownBy, ...mutant }) => {
    const concerned = ofToday.filter(({ scenario, type }) => shownBy.includes(`${scenario}.${type}`));
    expect(concerned).not.toEqual([]);
    const broken = await notReplayed(mutated(bundle, mutant), concerned);
    expect([...broken.values()]).toContainEqual(expect.stringMatching(/[Nn]ondetermini|does not match/));
  },
);
