import type { LocalStack } from './local-stack.ts';

/** Where the media API is, and what its credits are worth. */
export function describeApi({ config, emulator, isReal }: LocalStack): string {
  if (emulator !== undefined) {
    return `${emulator.baseUrl} (the emulator, ${emulator.service().pace.speed} times as fast as the real thing)`;
  }
  return `${config.apiUrl} (DARKROOM_API_URL: ${isReal ? 'real credits are spent' : 'an emulator, nothing is charged'})`;
}
