import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Stops a supervised command in its tracks (SIGSTOP) for some milliseconds: it keeps its connections and says nothing.
 * Only the command, not the shell above it (src/local/temporal/supervise.sh): that one has to end it if this process
 * ends meanwhile.
 *
 * @param supervisor the process id of the shell
 * @returns whether it was there to be frozen
 */
export async function freezeProcess(supervisor: number | undefined, milliseconds: number): Promise<boolean> {
  const pid = supervisor === undefined ? undefined : await commandOf(supervisor);
  if (pid === undefined || !send(pid, 'SIGSTOP')) return false;
  await delay(milliseconds);
  send(pid, 'SIGCONT');
  return true;
}

/** The child of the shell that is not the shell's own. */
async function commandOf(supervisor: number): Promise<number | undefined> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  for (const line of stdout.split('\n')) {
    const [pid, parent, ...words] = line.trim().split(/\s+/);
    if (Number(parent) === supervisor && !words.some((word) => word.endsWith('supervise.sh')))
      return Number(pid);
  }
  return undefined;
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // it has ended meanwhile
  }
}
