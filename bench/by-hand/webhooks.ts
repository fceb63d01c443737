import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import { Webhook } from 'standardwebhooks';
import { settings } from './settings.ts';

/** Which workflow waits for which task, for as long as this process lives. */
export const workflowOfTask = new Map<string, string>();

/** A webhook handler as one writes it: verify, find the workflow, signal it. @returns its address */
export async function listenForWebhooks(client: Client): Promise<string> {
  const webhook = new Webhook(settings.webhookSecret);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const body = await readBody(request);
      webhook.verify(body, request.headers as Record<string, string>); // it reads three of them, which are single
      const event = JSON.parse(body) as { event: string; prediction: { id: string } }; // signed by the API
      const workflowId = workflowOfTask.get(event.prediction.id);
      if (workflowId === undefined) {
        response.writeHead(503).end(); // it comes again
        return;
      }
      await client.workflow.getHandle(workflowId).signal('taskEnded', event.event);
      workflowOfTask.delete(event.prediction.id);
      response.writeHead(204).end();
    } catch (error) {
      console.error(error);
      response.writeHead(400).end();
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on TCP
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set: chunks are buffers
  return Buffer.concat(chunks).toString('utf8');
}
