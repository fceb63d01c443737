import { RECEIVER_DEFAULTS } from '../webhooks/receiver-config.ts';

/** The webhook receiver cannot listen where it is told to. The message names the setting and the fix. */
export class ListenFailed extends Error {
  override readonly name = 'ListenFailed';

  constructor(cause: unknown, { host, port }: { host: string; port: number }) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const reason = REASONS[code]?.(host, port) ?? (cause instanceof Error ? cause.message : String(cause));
    super(`the webhook receiver cannot listen on ${host}:${port}: ${reason}`, { cause });
  }
}

const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (_, port) =>
    `port ${port} is taken\n  set DARKROOM_WEBHOOK_PORT to a free one, for example DARKROOM_WEBHOOK_PORT=${port + 1}`,
  EACCES: () =>
    `this user may not use that port\n  set DARKROOM_WEBHOOK_PORT to one above 1023, for example DARKROOM_WEBHOOK_PORT=${RECEIVER_DEFAULTS.port}`,
  EADDRNOTAVAIL: () =>
    `that is no address of this machine\n  set DARKROOM_WEBHOOK_HOST to one, for example DARKROOM_WEBHOOK_HOST=${RECEIVER_DEFAULTS.host}`,
  ENOTFOUND: () =>
    `there is no host of that name\n  set DARKROOM_WEBHOOK_HOST to an address, for example DARKROOM_WEBHOOK_HOST=${RECEIVER_DEFAULTS.host}`,
};
