import { loadConfig } from '../../../src/config/worker-config.ts';
import { createLog, quietTemporal } from '../../../src/worker/log.ts';
import { runProgram } from '../../../src/worker/run-program.ts';
import { startDarkroom } from '../../../src/worker/start-darkroom.ts';
import { isMendName, MENDS } from './mends.ts';

const [, , name = '', ...flags] = process.argv;

/**
 * The worker as it is, but for one mend, which is named first. It shows that the storm sees what the mend is for. Takes
 * `--no-receiver`, as the worker does.
 */
await runProgram(() => {
  if (!isMendName(name)) throw new Error(`there is no mend ${name}`);
  const config = loadConfig();
  const log = createLog(config.logLevel);
  quietTemporal(log);
  const receiver = !flags.includes('--no-receiver');
  const { activities } = MENDS[name];
  return startDarkroom(config, { worker: true, receiver, preflight: true, log, activities });
});
