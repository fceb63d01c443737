import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { answerApi } from '../../../emulator/src/api/answer-api.ts';
import type { Service } from '../../../emulator/src/service.ts';

/** A request to the media API. */
interface Call {
  method: string;
  path: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** What happens once it has arrived; default: its body ends. */
  meanwhile?: (request: IncomingMessage) => unknown;
}

/** What was written by the time that the emulator had done with a request; status 0: nothing. */
interface Written {
  status: number;
  text: string;
}

/** Answers a request without a connection, so that it is known when the emulator has done with it. */
export async function call(
  service: Service,
  { method, path, body, headers, meanwhile = (request) => request.push(null) }: Call,
): Promise<Written> {
  const request = new IncomingMessage(new Socket());
  request.method = method;
  request.headers = { authorization: `Bearer ${service.apiKey}`, ...headers };
  const response = new ServerResponse(request);
  const chunks: string[] = [];
  response.end = (chunk: unknown) => {
    chunks.push(String(chunk));
    return response;
  };
  if (body !== undefined) request.push(body);
  const [answered] = await Promise.allSettled([
    answerApi(service, request, response, path),
    meanwhile(request),
  ]);
  if (answered.status === 'rejected') throw answered.reason;
  return { status: response.headersSent ? response.statusCode : 0, text: chunks.join('') };
}
