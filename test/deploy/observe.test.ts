import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALERTS } from '../../tools/observe/alerts.ts';
import { FAULTS } from '../../tools/observe/faults.ts';
import { ROOT, readComposeFile } from './compose-file.ts';

const text = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

describe('deploy/observe', () => {
  it('has a page and a fault for each of its eight alerts', () => {
    expect(ALERTS).toHaveLength(8);
    const pages = [...text('docs/operations.md').matchAll(/^### (Darkroom\w+)$/gm)].map(([, name]) => name);
    const names = ALERTS.map(({ name }) => name);
    expect(pages).toEqual(names);
    expect(FAULTS.map(({ alert }) => alert).sort()).toEqual(names.toSorted());
  });

  it('gives Grafana the data source that its dashboard asks', () => {
    const { datasources } = parse(text('deploy/observe/grafana/provisioning/datasources.yml')) as {
      datasources: { uid: string; url: string }[];
    };
    const dashboard = text('deploy/observe/grafana/dashboards/darkroom.json');
    const asked = new Set([...dashboard.matchAll(/"uid": "(\w+)"/g)].map(([, uid]) => uid));
    expect(asked).toEqual(new Set(['darkroom', datasources[0]?.uid]));
    expect(datasources[0]?.url).toBe('http://prometheus:9090');
  });

  it('is what Compose mounts, in its profile alone', () => {
    const { services } = readComposeFile();
    for (const name of ['prometheus', 'grafana']) expect(services[name]?.profiles).toEqual(['observe']);
    const mounted = ['prometheus', 'grafana'].flatMap((name) => services[name]?.volumes ?? []);
    for (const volume of mounted.filter((one) => one.startsWith('./')))
      expect(() => text(volume.split(':')[0] ?? '')).not.toThrow(/ENOENT/);
  });

  const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
  it.skipIf(!hasPromtool)('has rules that fire by their series, and by no other', () => {
    const { status, stdout } = spawnSync(
      'promtool',
      ['test', 'rules', `${ROOT}deploy/observe/alerts.test.yml`],
      {
        encoding: 'utf8',
      },
    );
    expect(stdout).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
