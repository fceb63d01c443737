import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests take much longer than their size tells, the slowest first. */
const SLOW = [
  'test/chaos/blind-storm.test.ts',
  'test/chaos/storm.test.ts',
  'test/workflows/unclaimed-tasks/unclaimed-tasks.test.ts',
  'test/e2e/worker-process.test.ts',
  'test/workflows/generation/long-runs.test.ts',
  'test/walk/failures.test.ts',
  'test/starter/commands/pipelines.test.ts',
  'test/starter/commands/batch.test.ts',
];

/** Begins with what takes longest, so that a run does not end with one process at work and the others idle. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = SLOW.findIndex((path) => moduleId.endsWith(path));
      return index === -1 ? SLOW.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => groupOf(a) - groupOf(b) || rank(a) - rank(b));
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}
