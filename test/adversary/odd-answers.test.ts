import { afterAll, beforeAll, expect, it } from 'vitest';
import { FAST, type Generation, image, openWorld, type World } from '../workflows/world.ts';
import { openOddApi } from './odd-api.ts';

let world: World;
let api: { port: number; close: () => void };
const HUGE = 'x'.repeat(3_000_000);
/** By what the prompt says. */
const prompts = new Map<string, string>();

beforeAll(async () => {
  world = await openWorld();
  await world.stopWorker();
  const base = world.config.apiUrl;
  api = await openOddApi(
    () => base,
    (answer, request) => {
      if (answer.status >= 300) return answer;
      const record = JSON.parse(answer.text) as { id?: string; data?: unknown; input?: { prompt?: string } };
      const prompt = record.input?.prompt ?? prompts.get(record.id ?? '') ?? '';
      if (record.id !== undefined) prompts.set(record.id, prompt);
      const change = (fields: object) => ({ ...answer, text: JSON.stringify({ ...record, ...fields }) });
      if (answer.method === 'POST') {
        if (prompt.includes('long id')) return change({ id: record.id + 'i'.repeat(3_000) });
        if (prompt.includes('huge refusal'))
          return { ...answer, status: 422, text: JSON.stringify({ code: 'INVALID_INPUT', message: HUGE }) };
        if (prompt.includes('unknown of a huge code'))
          return { ...answer, status: 502, text: JSON.stringify({ code: HUGE, message: 'no' }) };
        if (prompt.includes('huge errors'))
          return {
            ...answer,
            status: 422,
            text: JSON.stringify({
              code: 'IMAGE_GENERATION_INVALID_INPUT',
              message: 'no',
              errors: Array.from({ length: 30_000 }, () => ({ path: 'p'.repeat(50), message: 'm'.repeat(50), code: 'c' })),
            }),
          };
        return answer;
      }
      if (prompt.includes('huge message')) return change({ status: 'FAILED', data: null, code: 'IMAGE_GENERATION_FAILED', message: HUGE });
      if (prompt.includes('huge code')) return change({ status: 'FAILED', data: null, code: HUGE, message: 'm' });
      if (prompt.includes('huge type') && record.data) {
        const data = JSON.parse(JSON.stringify(record.data).replaceAll(/"content_type":"[^"]*"/g, `"content_type":"image/png; x=${HUGE}"`));
        return change({ data });
      }
      if (prompt.includes('negative')) return change({ usage: { total: -1e9, subscription: -1e9, permanent: 0 } });
      return answer;
    },
  );
  Object.assign(world.config, { apiUrl: `http://127.0.0.1:${api.port}${new URL(base).pathname}` });
  await world.startWorker();
});
afterAll(async () => {
  await world.close();
  api.close();
});

const POLLS = { ...FAST, retries: { ...FAST.retries, FAILED: { resubmissions: 0 } } };

it.each(['huge message', 'huge code', 'huge refusal', 'huge errors', 'long id', 'negative', 'huge type', 'unknown of a huge code'])(
  'an answer with a %s ends in a result or a failure',
  async (what) => {
    const handle: Generation = await world.start(image(what, POLLS));
    const outcome = await Promise.race([
      handle.result().then(
        (result) => `completed ${JSON.stringify(result.usage)}`,
        (error: { cause?: { type?: string; message?: string } }) =>
          `failed ${error.cause?.type?.slice(0, 80)}: ${error.cause?.message?.slice(0, 200)} (${error.cause?.message?.length})`,
      ),
      new Promise((resolve) => setTimeout(resolve, 12_000, 'hangs')),
    ]);
    const { events } = await handle.fetchHistory();
    const causes = (events ?? []).flatMap(
      ({ workflowTaskFailedEventAttributes: failed }) => (failed ? [failed.failure?.message?.slice(0, 200)] : []),
    );
    console.log(what, '→', outcome, causes, (events ?? []).length, world.charges(handle.workflowId).length, 'charges');
    await handle.terminate().catch(() => undefined);
    expect(outcome).not.toBe('hangs');
  },
  30_000,
);
