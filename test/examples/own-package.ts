/** For `node --import`: what imports this package by its name gets the sources that its entries are built from. */
import { registerHooks } from 'node:module';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = new URL('../../', import.meta.url);

const SOURCES = new Map(
  Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [[`${manifest.name}${entry.slice(1)}`, sourceOf(target.default)] as const],
  ),
);

registerHooks({
  resolve: (specifier, context, next) => next(SOURCES.get(specifier) ?? specifier, context),
});

function sourceOf(built: string): string {
  return new URL(built.replace('./dist/', 'src/').replace(/[.]js$/, '.ts'), ROOT).href;
}
