import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FromServer } from './served.ts';

export interface ServerProcess {
  port: number;
  /** Processor time used so far in µs, heap and resident memory in bytes. */
  usage(): Promise<{ cpu: number; heap: number; rss: number }>;
  stop(): Promise<void>;
}

/** Starts a server of this folder, or of another one by its URL, in a process of its own. */
export async function startServer(
  file: 'bare-server.ts' | 'darkroom-server.ts' | URL,
  args: readonly string[] = [],
  execArgv: readonly string[] = [],
): Promise<ServerProcess> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: [...execArgv] });
  const hello = await nextMessage(child);
  if (!('port' in hello)) throw new Error('the server did not tell its port');
  return {
    port: hello.port,
    async usage() {
      child.send('usage');
      const usage = await nextMessage(child);
      if (!('cpu' in usage)) throw new Error('the server did not tell its usage');
      return usage;
    },
    async stop() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

async function nextMessage(child: ChildProcess): Promise<FromServer> {
  const [message] = (await once(child, 'message')) as [FromServer]; // our own process sends nothing else
  return message;
}
