const PATIENCE = 1_000;

/**
 * Whether the API at an address is an emulator, here or elsewhere: it answers below `/control` to this machine, where
 * the real one has nothing. What is not known to be one is taken for real.
 */
export async function isEmulator(apiUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/control/counters', apiUrl), {
      signal: AbortSignal.timeout(PATIENCE),
    });
    const counters: unknown = answer.ok ? await answer.json() : undefined;
    return (
      typeof counters === 'object' && counters !== null && 'deliveries' in counters && 'gets' in counters
    );
  } catch {
    return false;
  }
}
