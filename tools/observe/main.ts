import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { ALERTS, rulesFile } from './alerts.ts';
import { startUnderWatch } from './darkroom-under-watch.ts';
import { FAULTS } from './faults.ts';
import { PANELS } from './panels.ts';
import { Prometheus, promtool } from './prometheus.ts';

/** How long an alert may take to fire, or to be silent again (milliseconds). */
const PATIENCE = 240_000;
const PAUSE = 500;

await new Command('observe')
  .description('proves the dashboards and alerts of deploy/observe')
  .requiredOption(
    '--check',
    'with a real Prometheus: each alert fires for its fault and for no other, clears after it; every panel has data',
  )
  .action(check)
  .parseAsync();

async function check(): Promise<void> {
  const folder = fileURLToPath(new URL('../../deploy/observe/', import.meta.url));
  promtool('check', 'rules', `${folder}alerts.yml`);
  promtool('test', 'rules', `${folder}alerts.test.yml`);
  say(`promtool: ${ALERTS.length} alerts fire by their series, and by no other`);

  let prometheus: Prometheus | undefined;
  const firing = async (): Promise<string[]> => (await prometheus?.firing()) ?? [];
  const until = async (alert: string, fires: boolean): Promise<void> => {
    const late = Date.now() + PATIENCE;
    for (;;) {
      const now = await firing();
      const others = now.filter((name) => name !== alert);
      if (others.length > 0) throw new Error(`${alert}: ${others.join(', ')} fires, too`);
      if (now.includes(alert) === fires) return;
      if (Date.now() > late) throw new Error(`${alert} ${fires ? 'does not fire' : 'goes on firing'}`);
      await delay(PAUSE);
    }
  };
  const darkroom = await startUnderWatch((alert) => until(alert, true));
  try {
    // Minutes become seconds, and what is looked back at is shorter.
    const rules = rulesFile((minutes) => `${minutes}s`).replaceAll('[5m]', '[15s]');
    const watching = await Prometheus.start(darkroom.metrics, rules);
    prometheus = watching;
    for (let round = 0; round < 5; round += 1) await (await darkroom.start('well')).result();
    await until('none', false);
    say('healthy: nothing fires');
    for (const { alert, make } of FAULTS) {
      const end = await make(darkroom);
      await until(alert, true);
      await end();
      await until(alert, false);
      say(`${alert}: fires for its fault, and clears after it`);
    }
    const untested = ALERTS.filter(({ name }) => !FAULTS.some(({ alert }) => alert === name));
    if (untested.length > 0)
      throw new Error(`no fault is made for ${untested.map(({ name }) => name).join(', ')}`);
    for (const { title, queries } of PANELS) {
      const answers = await Promise.all(Object.values(queries).map((query) => watching.hasData(query)));
      if (!answers.includes(true)) throw new Error(`panel ${title} has no data`);
    }
    say(`${PANELS.length} panels have data`);
  } finally {
    await prometheus?.[Symbol.asyncDispose]();
    await darkroom.stop();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
