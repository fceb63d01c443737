/** What both plain workers are told by the environment, under the names that Darkroom has for it. */
export const settings = {
  temporal: process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233',
  taskQueue: process.env['DARKROOM_TASK_QUEUE'] ?? 'by-hand',
  apiUrl: process.env['DARKROOM_API_URL'] ?? '',
  apiKey: process.env['DARKROOM_API_KEY'] ?? '',
  webhookSecret: process.env['DARKROOM_WEBHOOK_SECRET'] ?? '',
  outputs: process.env['DARKROOM_OUTPUTS'] ?? 'outputs',
};
