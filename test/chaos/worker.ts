import { parseArgs } from 'node:util';
import { loadConfig } from '../../src/config/worker-config.ts';
import type { Cap } from '../../src/policy/caps.ts';
import { createLog, quietTemporal } from '../../src/worker/log.ts';
import { runProgram } from '../../src/worker/run-program.ts';
import { startDarkroom } from '../../src/worker/start-darkroom.ts';
import { isMendName, MENDS } from './without/mends.ts';

const { values } = parseArgs({
  options: { without: { type: 'string' }, 'no-receiver': { type: 'boolean', default: false } },
});

/**
 * The worker as it is, with caps by the minute, which no configuration has; and without one of the mends, where one is
 * named: that shows that the storm sees what the mend is for.
 */
await runProgram(() => {
  const { without: name } = values;
  if (name !== undefined && !isMendName(name)) throw new Error(`there is no mend ${name}`);
  const config = loadConfig();
  const log = createLog(config.logLevel);
  quietTemporal(log);
  const caps = JSON.parse(process.env['STORM_CAPS'] ?? '[]') as Cap[]; // written by stage.ts
  return startDarkroom(
    { ...config, caps },
    {
      worker: true,
      receiver: !values['no-receiver'],
      preflight: true,
      log,
      ...(name === undefined ? {} : { activities: MENDS[name].activities }),
    },
  );
});
