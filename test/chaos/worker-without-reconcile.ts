import { registerHooks } from 'node:module';

const CLAIMS = new URL('../../src/activities/unclaimed-tasks/claims.ts', import.meta.url).href;
const NO_CLAIMS = new URL('no-claims.ts', import.meta.url).href;

/**
 * The worker as it is, but for its claims, which go nowhere: whatever submit lost its answer is bought again. It
 * shows that the storm sees double charges where there are some.
 */
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === CLAIMS && context.parentURL !== NO_CLAIMS ? { ...found, url: NO_CLAIMS } : found;
  },
});

await import('../../src/worker.ts');
