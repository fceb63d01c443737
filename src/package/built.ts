import { extname } from 'node:path';

/**
 * Of the files of code beside this one: `.ts` in a clone, which Node runs as it is, `.js` in the published package.
 * What names a program or a thread by its file (`new URL(…, import.meta.url)`) takes it from here.
 */
export const CODE = extname(import.meta.url);

/** Whether this is the published package, and no clone. */
export const IS_BUILT = CODE === '.js';
