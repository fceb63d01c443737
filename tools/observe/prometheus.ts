import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../src/worker/sdk-metrics.ts';

/** A Prometheus of its own that scrapes some programs. */
export class Prometheus implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #folder: string;

  private constructor(child: ChildProcess, url: string, folder: string) {
    this.#child = child;
    this.#url = url;
    this.#folder = folder;
  }

  /**
   * @param targets `host:port` of each program's metrics
   * @param rules the file of rules
   */
  static async start(targets: readonly string[], rules: string): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-prometheus-'));
    await writeFile(join(folder, 'alerts.yml'), rules);
    await writeFile(
      join(folder, 'prometheus.yml'),
      [
        'global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }',
        'rule_files: [alerts.yml]',
        `scrape_configs: [{ job_name: darkroom, static_configs: [{ targets: ${JSON.stringify(targets)} }] }]`,
        '',
      ].join('\n'),
    );
    const port = await freePort();
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    await once(child, 'spawn');
    return new Prometheus(child, `http://127.0.0.1:${port}`, folder);
  }

  /** The names of the alerts that fire. */
  async firing(): Promise<string[]> {
    const { alerts } = await this.#ask<{ alerts: { state: string; labels: { alertname: string } }[] }>(
      'alerts',
    );
    const names = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    return [...new Set(names)];
  }

  /** Whether a query has any number for an answer. */
  async hasData(query: string): Promise<boolean> {
    const { result } = await this.#ask<{ result: { value: [number, string] }[] }>(
      `query?query=${encodeURIComponent(query)}`,
    );
    return result.some(({ value }) => value[1] !== 'NaN');
  }

  async #ask<Answer>(path: string): Promise<Answer> {
    for (;;) {
      try {
        const answer = await fetch(`${this.#url}/api/v1/${path}`);
        const { data } = (await answer.json()) as { data: Answer }; // Prometheus's own API
        if (answer.ok) return data;
        throw new Error(`Prometheus answers ${answer.status} to ${path}`);
      } catch (error) {
        // It is starting.
        if (!(error instanceof TypeError)) throw error;
        await delay(200);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** @throws Error where a program is missing, or finds something wrong */
export function promtool(...args: string[]): void {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  if (error !== undefined)
    throw new Error('promtool is not on the PATH: install Prometheus', { cause: error });
  if (status !== 0) throw new Error(`promtool ${args.join(' ')}:\n${stdout}${stderr}`);
}
