import { createServer } from 'node:http';
import { serve } from '../receiver/served.ts';

/** The baseline: node:http, reading the body and answering the same JSON each time, as large as a task's record. */
const ANSWER = JSON.stringify({
  id: '0b0f6a3e-6a43-4d0c-9f0e-0a9f8e0c7b11',
  status: 'IN_QUEUE',
  input: { prompt: 'a lighthouse at dawn', n: 1 },
  data: null,
  usage: { total: 8, subscription: 8, permanent: 0 },
});

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
    response.end(ANSWER);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') serve(address.port);
});
