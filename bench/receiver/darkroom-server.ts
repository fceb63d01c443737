import { createReceiver } from '../../src/webhooks/receiver.ts';
import { RECEIVER_DEFAULTS } from '../../src/webhooks/receiver-config.ts';
import { TaskRoutes } from '../../src/webhooks/routing/task-routes.ts';
import { parseSecret } from '../../src/webhooks/signature/secrets.ts';
import { SECRET } from './deliveries.ts';
import { serve } from './served.ts';

/** Our receiver in front of a stub that takes every signal at once. The argument: how many tasks it knows. */
const tasks = Number(process.argv[2] ?? '0');
const routes = new TaskRoutes();
for (let i = 0; i < tasks; i++)
  routes.register({ workspace: 'default', taskId: `task_${i}` }, `generation/${i}`);

const silent = { debug: () => {}, info: () => {}, warn: () => {} };
const receiver = createReceiver({
  config: {
    ...RECEIVER_DEFAULTS,
    port: 0,
    workspaces: new Map([['default', { secrets: [parseSecret(SECRET)], legacy: 'refuse' }]]),
  },
  sink: {
    signal: () => Promise.resolve('taken'),
    unclaimed: () => Promise.resolve(),
    delayed: () => Promise.resolve(),
    find: () => Promise.resolve(new Map()),
    reachable: () => Promise.resolve(true),
  },
  routes,
  log: silent,
});
await receiver.listen();
serve(receiver.port);
