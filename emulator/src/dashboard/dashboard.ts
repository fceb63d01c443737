import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuseAccess } from '../control/access.ts';
import type { ControlAccess } from '../control/control.ts';
import { answerFile } from '../files/answer-file.ts';
import type { Files } from '../files/files.ts';
import { errorAnswer } from '../http/answer.ts';
import { Exchange } from '../http/exchange.ts';
import type { StoredOutput } from '../tasks/tasks.ts';
import { pageFiles } from './page-files.ts';
import { PAGE_HEADERS } from './page-headers.ts';
import { thumbnail } from './thumbnails.ts';

const START = 'index.html';

/** Whether a path is one of the dashboard's: `/`, `/dashboard` or below. */
export function isDashboardPath(path: string): boolean {
  return path === '/' || path === '/dashboard' || path.startsWith('/dashboard/');
}

/**
 * The dashboard: a page that shows and operates the emulator over its control API, and what only the page needs,
 * the files of tasks (`/dashboard/media/<task>/<index>`, `/dashboard/thumbnails/…`). Unlike those below `/files/`
 * they meet no faults and count as no download: looking must not change what is looked at.
 */
export async function answerDashboard(
  { current, open }: ControlAccess,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const service = current();
  const exchange = new Exchange(request, response, 'control', service.counters);
  const refusal = refuseAccess(request, { open, origin: service.origin() });
  if (refusal !== undefined) {
    exchange.answer(errorAnswer(403, { code: 'FORBIDDEN', message: refusal }));
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    exchange.answer(
      errorAnswer(405, { code: 'METHOD_NOT_ALLOWED', message: 'The dashboard can only be read.' }),
    );
    return;
  }
  const [kind = '', taskId = '', index = ''] = path.slice('/dashboard/'.length).split('/');
  if (kind === 'media' || kind === 'thumbnails') {
    const output = /^\d+$/.test(index) ? service.tasks.get(taskId)?.outputs[Number(index)] : undefined;
    if (output === undefined) notFound(exchange);
    else if (kind === 'media') await answerFile(service, exchange, output, { headers: MEDIA_HEADERS });
    else await answerThumbnail(exchange, output, service.files);
    return;
  }
  answerPage(exchange, path === '/' ? START : path.slice('/dashboard/'.length) || START);
}

/**
 * A task's files never change, and no other origin has any business with them here. The sandbox is for a file that
 * is opened by itself: no script in it runs, but the browser's own player still gets at the file.
 */
const MEDIA_HEADERS = {
  'cache-control': 'private, max-age=3600, immutable',
  'content-security-policy': 'sandbox allow-same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

async function answerThumbnail(exchange: Exchange, output: StoredOutput, files: Files): Promise<void> {
  try {
    const body = await thumbnail(files, output);
    exchange.answer({ status: 200, contentType: 'image/webp', body, headers: MEDIA_HEADERS });
  } catch {
    notFound(exchange);
  }
}

function answerPage(exchange: Exchange, name: string): void {
  const file = pageFiles().get(name);
  if (file === undefined) {
    notFound(exchange);
    return;
  }
  const { contentType, etag, bytes: body } = file;
  const status = exchange.header('if-none-match') === etag ? 304 : 200;
  exchange.answer({ status, contentType, body, headers: { ...PAGE_HEADERS, etag } });
}

function notFound(exchange: Exchange): void {
  exchange.answer(errorAnswer(404, { code: 'NOT_FOUND', message: 'There is no such file.' }));
}
