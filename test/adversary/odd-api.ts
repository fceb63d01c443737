import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer on its way to Darkroom. */
export interface OddAnswer {
  method: string;
  path: string;
  status: number;
  text: string;
}

/** The media API with answers of odd shape: passes everything on to `target`, and its answers through `odd`. */
export async function openOddApi(target: () => string, odd: (answer: OddAnswer, request: string) => OddAnswer) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void (async () => {
        const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
        const body = Buffer.concat(chunks);
        const base = new URL(target());
        const answer = await fetch(new URL(request.url ?? '/', base.origin), {
          method: request.method ?? 'GET',
          headers: headers as Record<string, string>,
          ...(body.length === 0 ? {} : { body }),
        });
        const { status, text } = odd(
          {
            method: request.method ?? 'GET',
            path: request.url ?? '/',
            status: answer.status,
            text: await answer.text(),
          },
          body.toString(),
        );
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      })().catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
}
