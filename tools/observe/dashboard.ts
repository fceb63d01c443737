import { PANELS } from './panels.ts';

const WIDTH = 12;
const HEIGHT = 8;

/** Grafana's dashboard, as its provisioning reads it. */
export function dashboard(): string {
  const panels = PANELS.map(({ title, description, unit, queries }, index) => ({
    id: index + 1,
    type: 'timeseries',
    title,
    ...(description === undefined ? {} : { description }),
    datasource: { type: 'prometheus', uid: 'prometheus' },
    gridPos: { w: WIDTH, h: HEIGHT, x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: Object.entries(queries).map(([legendFormat, expr], place) => ({
      refId: `${place}`,
      expr,
      legendFormat,
    })),
  }));
  const board = {
    uid: 'darkroom',
    title: 'Darkroom',
    tags: ['darkroom'],
    schemaVersion: 39,
    time: { from: 'now-3h', to: 'now' },
    refresh: '30s',
    panels,
  };
  return `${JSON.stringify(board, undefined, 2)}\n`;
}
