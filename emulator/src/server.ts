import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { API_PREFIX, answerApi } from './api/answer-api.ts';
import { compose, type RunningService } from './compose.ts';
import { answerControl, type ControlAccess } from './control/control.ts';
import { answerDashboard, isDashboardPath } from './dashboard/dashboard.ts';
import { serveFile } from './files/serve-file.ts';
import { errorAnswer } from './http/answer.ts';
import { Exchange } from './http/exchange.ts';
import { listen } from './http/listen.ts';
import type { EmulatorOptions } from './options.ts';
import type { Service } from './service.ts';
import { Changes } from './storage/changes.ts';
import { sqliteStorage } from './storage/sqlite-storage.ts';
import { forgetfulStorage } from './storage/storage.ts';

export type { EmulatorOptions } from './options.ts';

const DEFAULT_PORT = 4010;

/** Longer than clients keep idle connections, so that it is never the server that closes one under a request. */
const KEEP_ALIVE = 75_000;

/** A running emulator. */
export interface Emulator {
  /** `http://host:port`, without a slash at the end. */
  url: string;
  /** What `DARKROOM_API_URL` is set to: ends in `/api/v1`. */
  baseUrl: string;
  /** The control API: ends in `/control`. */
  controlUrl: string;
  /** The page that shows and operates it in a browser. */
  dashboardUrl: string;
  host: string;
  port: number;
  /** The first account's key. */
  apiKey: string;
  /** The parts, for tests in the same process; after a reset they are others. */
  service(): Service;
  /** Stops at once; what is unfinished goes on when the same database file is opened again. */
  close(): Promise<void>;
}

/**
 * Starts an emulator of the media API in this process.
 *
 * @throws ListenError when the port is taken, StorageError when the database file cannot be used, ZodError for a
 *   fault rule or an assumption that is none, BalanceError for credits beyond 2^53, RangeError for an endpoint that
 *   may not be
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const host = options.host ?? '127.0.0.1';
  const log = options.log ?? ((line: string) => process.stderr.write(`${line}\n`));
  const storage = options.dbFile === undefined ? forgetfulStorage() : sqliteStorage(options.dbFile);
  const changes = new Changes();
  let url = '';
  const build = (apiKey?: string): RunningService =>
    compose(options, { storage, changes, log, apiKey, reset, origin: () => options.publicUrl ?? url });

  async function reset(): Promise<void> {
    const old = service;
    await old.close();
    await old.files.clear();
    storage.clear();
    service = build(old.apiKey);
    changes.announce('reset', '');
  }

  let service: RunningService;
  try {
    service = build();
  } catch (error) {
    storage.close(); // another start must find the file free
    throw error;
  }
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE }, (request, response) => {
    dispatch({ current: () => service, open: options.openControl ?? false }, request, response).catch(
      (error: unknown) => {
        if (service.closed) return;
        log(
          `emulator: ${request.method} ${request.url}: ${error instanceof Error ? error.stack : String(error)}`,
        );
        if (response.headersSent) response.end();
        else {
          response.writeHead(500, { 'content-type': 'application/json' });
          response.end('{"code":"INTERNAL_ERROR","message":"The emulator failed; its log says why."}');
        }
      },
    );
  });
  try {
    const port = await listen(server, options.port ?? DEFAULT_PORT, host);
    url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    service.resume();
    const publicUrl = options.publicUrl ?? url;
    return {
      url: publicUrl,
      baseUrl: `${publicUrl}${API_PREFIX}`,
      controlUrl: `${url}/control`,
      dashboardUrl: `${url}/`,
      host,
      port,
      apiKey: service.apiKey,
      service: () => service,
      close: async () => {
        await service.close();
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        await closed;
        await service.files.close();
        storage.close();
      },
    };
  } catch (error) {
    await service.close();
    storage.close();
    throw error;
  }
}

async function dispatch(
  access: ControlAccess,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const service = access.current();
  const url = request.url ?? '/';
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  if (path.startsWith(`${API_PREFIX}/`)) {
    await answerApi(service, request, response, path.slice(API_PREFIX.length + 1));
  } else if (path.startsWith('/files/')) {
    await serveFile(service, request, response, path);
  } else if (path === '/control' || path.startsWith('/control/')) {
    await answerControl(access, request, response, path, query === -1 ? '' : url.slice(query + 1));
  } else if (isDashboardPath(path)) {
    await answerDashboard(access, request, response, path);
  } else {
    new Exchange(request, response, 'other', service.counters).answer(
      errorAnswer(404, {
        code: 'NOT_FOUND',
        message: `Nothing is here. The media API is below ${API_PREFIX}.`,
      }),
    );
  }
}
