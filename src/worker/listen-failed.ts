/** Where something listens: what it is called, and the settings that say so. */
export interface Listening {
  what: string;
  hostSetting: string;
  portSetting: string;
}

/** Something cannot listen where it is told to. The message names the setting and the fix. */
export class ListenFailed extends Error {
  override readonly name = 'ListenFailed';

  constructor(cause: unknown, { what, ...settings }: Listening, address: { host: string; port: number }) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const other = cause instanceof Error ? cause.message : String(cause);
    const reason = REASONS[code]?.({ ...settings, ...address }) ?? other;
    super(`${what} cannot listen on ${address.host}:${address.port}: ${reason}`, { cause });
  }
}

interface Place extends Omit<Listening, 'what'> {
  host: string;
  port: number;
}

/** What each code means, and what to do. */
const REASONS: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({ portSetting, port }) =>
    `port ${port} is taken\n  set ${portSetting} to a free one, for example ${portSetting}=${port + 1}`,
  EACCES: ({ portSetting, port }) =>
    `this user may not use that port\n  set ${portSetting} to one above 1023, for example ${portSetting}=${port + 8_000}`,
  EADDRNOTAVAIL: ({ hostSetting }) =>
    `that is no address of this machine\n  set ${hostSetting} to one, for example ${hostSetting}=127.0.0.1`,
  ENOTFOUND: ({ hostSetting }) =>
    `there is no host of that name\n  set ${hostSetting} to an address, for example ${hostSetting}=127.0.0.1`,
};
