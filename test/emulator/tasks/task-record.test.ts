import { expect, test } from 'vitest';
import { compose } from '../../../emulator/src/compose.ts';
import { Changes } from '../../../emulator/src/storage/changes.ts';
import { forgetfulStorage } from '../../../emulator/src/storage/storage.ts';
import { taskRecord } from '../../../emulator/src/tasks/task-record.ts';
import type { Task } from '../../../emulator/src/tasks/tasks.ts';
import { newTask, OUTPUT } from './task-stage.ts';

const service = compose(
  { media: 'tiny', assumptions: { bareUriModels: ['lip-sync-h', 'image-o'] } },
  {
    storage: forgetfulStorage(),
    changes: new Changes(),
    origin: () => 'https://emulator.example',
    reset: () => Promise.resolve(),
    log: () => undefined,
  },
);

const FILE = { file_name: 'fox.png', content_type: 'image/png', width: 2, height: 2 };
const url = (index: number) => `https://emulator.example/files/task-1/${index}/fox.png`;

test.each<[string, Partial<Task>, unknown]>([
  ['nothing until it has completed', { status: 'IN_PROGRESS', outputs: [OUTPUT] }, null],
  ['nothing where its model is gone', { status: 'COMPLETED', model: 'image-0', outputs: [OUTPUT] }, null],
  [
    'its pictures',
    { status: 'COMPLETED', outputs: [OUTPUT, OUTPUT], results: 2 },
    {
      type: 'image',
      n: 2,
      actual_prompt: 'a fox',
      images: [
        { url: url(0), ...FILE },
        { url: url(1), ...FILE },
      ],
      image: { url: url(0), ...FILE },
    },
  ],
  [
    'its videos, without a length that is not known',
    { status: 'COMPLETED', model: 'video-g', outputs: [OUTPUT], prompt: '', extra: { words: [] } },
    {
      type: 'video',
      n: 1,
      seed: 7,
      words: [],
      videos: [{ url: url(0), ...FILE, file_size: 70 }],
      video: { url: url(0), ...FILE, file_size: 70 },
    },
  ],
  ['a bare URI', { status: 'COMPLETED', model: 'image-o', outputs: [OUTPUT, OUTPUT] }, url(0)],
  ['no URI where it made nothing', { status: 'COMPLETED', model: 'lip-sync-h', outputs: [] }, null],
])('a task’s data is %s', (_what, state, data) => {
  expect(taskRecord(newTask(state), service).data).toEqual(data);
});

test('only the record of a failed task has a code and a message', () => {
  const said = { code: 'IMAGE_GENERATION_TIMEOUT', message: 'Too slow.' };
  const { id, input, usage } = newTask();
  const record = { id, input, data: null, usage };
  expect(taskRecord(newTask({ status: 'FAILED', ...said }), service)).toEqual({
    ...record,
    status: 'FAILED',
    ...said,
  });
  expect(taskRecord(newTask({ status: 'CANCELED', ...said }), service)).toEqual({
    ...record,
    status: 'CANCELED',
  });
});
