import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { Webhook } from 'standardwebhooks';

/** Which workflow waits for which task: on the disk, for a worker that starts again. */
const database = new DatabaseSync(join(process.env['SERVICE_FOLDER'] ?? '.', 'tasks.db'));
database.exec('CREATE TABLE IF NOT EXISTS tasks (id TEXT PRIMARY KEY, workflow TEXT)');
const insert = database.prepare('INSERT OR REPLACE INTO tasks VALUES (?, ?)');
const select = database.prepare('SELECT workflow FROM tasks WHERE id = ?');

export function rememberTask(id: string, workflow: string): void {
  insert.run(id, workflow);
}

/** Verifies, finds the workflow, signals it. */
export function listenForWebhooks(client: Client): void {
  const webhook = new Webhook(process.env['WEBHOOK_SECRET'] ?? '');
  const take = async (request: IncomingMessage): Promise<number> => {
    try {
      const body = await text(request);
      webhook.verify(body, request.headers as Record<string, string>); // it reads three of them, which are single
      const { prediction } = JSON.parse(body) as { prediction: { id: string } }; // signed by the API
      const workflow = select.get(prediction.id)?.['workflow'];
      if (typeof workflow !== 'string') return 503; // it may come before the answer: once more, please
      await client.workflow.getHandle(workflow).signal('taskEnded');
      return 204;
    } catch (error) {
      return error instanceof WorkflowNotFoundError ? 204 : 503; // it has its result, or once more
    }
  };
  createServer((request, response) => {
    void take(request).then((status) => response.writeHead(status).end());
  }).listen(Number(process.env['WEBHOOK_PORT']), '127.0.0.1');
}
