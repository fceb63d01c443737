import { loadConfig } from '../../src/config/worker-config.ts';
import type { DarkroomActivities } from '../../src/contract/activities.ts';
import { createLog, quietTemporal } from '../../src/worker/log.ts';
import { runProgram } from '../../src/worker/run-program.ts';
import { startDarkroom } from '../../src/worker/start-darkroom.ts';

/** Claims that go nowhere: nothing is looked for, and nothing is found. */
const withoutClaims = (activities: DarkroomActivities): DarkroomActivities => ({
  ...activities,
  requestClaim: async () => undefined,
  withdrawClaim: async () => ({ kind: 'gone' }),
});

/**
 * The worker as it is, but for its claims: whatever submit lost its answer is bought again. It shows that the storm
 * sees double charges where there are some. Takes `--no-receiver`, as the worker does.
 */
await runProgram(() => {
  const config = loadConfig();
  const log = createLog(config.logLevel);
  quietTemporal(log);
  const receiver = !process.argv.includes('--no-receiver');
  return startDarkroom(config, { worker: true, receiver, preflight: true, log, activities: withoutClaims });
});
