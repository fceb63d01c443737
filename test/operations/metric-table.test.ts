import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { counter, gauge, histogram } from '../../src/operations/metrics/create-metrics.ts';
import { METRICS, type MetricName, type MetricSpec } from '../../src/operations/metrics/metric-table.ts';

const UNITS = ['seconds', 'bytes'];

describe("the table of metrics keeps to Prometheus's conventions", () => {
  it.each(Object.entries<MetricSpec>(METRICS))('%s', (name, { type, help, labels, buckets }) => {
    expect(name).toMatch(/^darkroom(_[a-z]+)+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(help).toMatch(/^[A-Z].*[^.]$/);
    expect(labels.length).toBeLessThanOrEqual(3);
    for (const label of labels) expect(label).toMatch(/^[a-z]+$/);
    // A histogram has a unit and bounds that grow; words for others are no base units.
    expect(type === 'histogram').toBe(buckets !== undefined);
    expect(type !== 'histogram' || UNITS.some((unit) => name.endsWith(unit))).toBe(true);
    expect([...(buckets ?? [])].sort((a, b) => a - b)).toEqual([...(buckets ?? [])]);
    expect(name).not.toMatch(/milliseconds|_ms(_|$)|minutes|kilobytes/);
  });
});

it('makes of each entry a metric of its type, with its words', async () => {
  const registry = new Registry();
  const create = { counter, gauge, histogram } as Record<
    string,
    (registry: Registry, name: never) => unknown
  >;
  for (const [name, { type }] of Object.entries<MetricSpec>(METRICS)) create[type]?.(registry, name as never);
  const made = await registry.getMetricsAsJSON();
  expect(made.map(({ name, help, type }) => ({ name, help, type }))).toEqual(
    Object.entries<MetricSpec>(METRICS).map(([name, { help, type }]) => ({ name, help, type })),
  );
  expect(new Set(made.map(({ name }) => name as MetricName)).size).toBe(made.length);
});
