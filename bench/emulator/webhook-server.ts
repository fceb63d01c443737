import { createServer, type ServerResponse } from 'node:http';
import { serve } from '../receiver/served.ts';

/**
 * A receiver that lets deliveries pile up: it answers none until `GET /open/<count>` comes, and answers that when
 * so many have been acknowledged since.
 */
let held: ServerResponse[] | undefined = [];
let acknowledged = 0;
let wanted = 0;
let waiting: ServerResponse | undefined;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.method === 'POST') {
      if (held === undefined) acknowledge(response);
      else held.push(response);
      return;
    }
    wanted = Number(request.url?.split('/').at(-1));
    acknowledged = 0;
    waiting = response;
    const piled = held ?? [];
    held = undefined;
    for (const one of piled) acknowledge(one);
  });
});

function acknowledge(response: ServerResponse): void {
  response.writeHead(204).end();
  acknowledged += 1;
  if (acknowledged !== wanted) return;
  held = [];
  waiting?.writeHead(204).end();
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') serve(address.port);
});
