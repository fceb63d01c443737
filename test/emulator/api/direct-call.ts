import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { answerApi } from '../../../emulator/src/api/answer-api.ts';
import type { Service } from '../../../emulator/src/service.ts';

/** What was written by the time that the emulator had done with a request; status 0: nothing. */
interface Written {
  status: number;
  text: string;
}

/** Answers a request without a connection, so that it is known when the emulator has done with it. */
export async function call(
  service: Service,
  method: string,
  path: string,
  body = '',
  meanwhile: (request: IncomingMessage) => unknown = (request) => request.push(null),
): Promise<Written> {
  const request = new IncomingMessage(new Socket());
  request.method = method;
  request.headers = { authorization: `Bearer ${service.apiKey}` };
  const response = new ServerResponse(request);
  const chunks: string[] = [];
  response.end = (chunk: unknown) => {
    chunks.push(String(chunk));
    return response;
  };
  if (body !== '') request.push(body);
  const answered = answerApi(service, request, response, path);
  await meanwhile(request);
  await answered;
  return { status: response.headersSent ? response.statusCode : 0, text: chunks.join('') };
}
