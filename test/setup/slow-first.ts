import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files whose tests take much longer than their size tells. The first ones begin: those that keep the whole machine busy
 * beside those that wait most of the time.
 */
const SLOW = [
  'test/explore/without.test.ts',
  'test/workflows/batch/batch.test.ts',
  'test/release/packed-service.test.ts',
  'test/explore/cells.test.ts',
  'test/workflows/generation/lost-submits.test.ts',
  'test/chaos/cap-storm.test.ts',
  'test/chaos/storm.test.ts',
  'test/chaos/blind-storm.test.ts',
  'test/e2e/worker-process.test.ts',
  'test/client/following.test.ts',
  'test/workflows/generation/decisions.test.ts',
  'test/starter/commands/reset-many.test.ts',
  'test/workflows/unclaimed-tasks/unclaimed-tasks.test.ts',
  'test/workflows/pipeline/continue-as-new.test.ts',
  'test/workflows/account/budgets.test.ts',
];

/** Begins with what takes longest, so that a run does not end with one process at work and the other idle. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = SLOW.findIndex((path) => moduleId.endsWith(path));
      return index === -1 ? SLOW.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
