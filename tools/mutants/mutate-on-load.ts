import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Loaded first in each process and thread of a run (`--import`): the file that `DARKROOM_MUTANT` names is loaded with its
 * change. `{ file, from, to }` as JSON; the file is below the working directory.
 */
const { file, from, to } = JSON.parse(process.env['DARKROOM_MUTANT'] ?? '') as Record<
  'file' | 'from' | 'to',
  string
>; // as run-proofs.ts writes it
const target = pathToFileURL(file).href;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url.split('?')[0] !== target) return loaded;
    const text = Buffer.from((loaded.source ?? '') as string).toString(); // of a module it is text or bytes
    return { ...loaded, source: text.replace(from, () => to) };
  },
});
