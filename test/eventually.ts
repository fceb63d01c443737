import { vi } from 'vitest';
import { patience } from './patience.ts';

/** Waits until a check passes, as long as a busy machine may take: Vitest's own second is soon over there. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: patience(60_000), interval: 20 });
}
