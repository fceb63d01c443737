import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { isRecord } from '../../src/api/json/is-record.ts';
import { DarkroomClient, type RowResult } from '../../src/client/index.ts';
import { patience } from '../patience.ts';
import { throughGateway } from '../workflows/record-gateway.ts';
import { FAST, openWorld } from '../workflows/world.ts';

/** As long as the URL of an output may be, almost. */
const PADDING = `?padding=${'x'.repeat(8_000)}`;

// Stores 136 files: on a busy machine that alone takes minutes.
it('the files of a row are told of, also those that its result leaves out to stay small', {
  timeout: patience(300_000),
}, async () => {
  const world = await openWorld();
  const gateway = await throughGateway(world, (record) => {
    const { data } = record;
    if (!isRecord(data) || !Array.isArray(data['images'])) return record;
    const images = (data['images'] as { url: string }[]).map((one) => ({ ...one, url: one.url + PADDING }));
    return { ...record, data: { ...data, images } };
  });
  try {
    const { taskQueue, outputs } = world.config;
    const darkroom = new DarkroomClient(world.client, {
      taskQueue,
      outputs: outputs.kind === 'folder' ? outputs.path : '',
    });
    const scenes = Array.from({ length: 34 }, (_, index) => `large row ${index}`);
    const pipeline = {
      steps: { still: { model: 'image-l', input: { prompt: { $each: { $param: 'scenes' } }, n: 4 } } },
      policy: FAST,
    };
    const batch = await darkroom.startBatch(pipeline, [{ id: 'one', scenes }], {
      key: randomUUID(),
      rowKey: 'id',
    });
    await batch.result();
    const rows: RowResult[] = [];
    for await (const row of batch.rows()) rows.push(row);
    const [row] = rows;
    expect(row).toMatchObject({ status: 'COMPLETED', failure: null });
    const files = row?.outputs['still'] ?? [];
    expect(files).toHaveLength(4 * scenes.length);
    expect(new Set(files.map(({ stored }) => stored)).size).toBe(4 * scenes.length);
  } finally {
    await world.close();
    gateway.close();
  }
});
