import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../contract/search-attributes.ts';

/** `INDEXED_VALUE_TYPE_KEYWORD` of Temporal's API. */
const KEYWORD = 2;

/** The search attributes are missing and this client may not add them. The message holds the exact command. */
class SearchAttributesMissing extends Error {
  override readonly name = 'SearchAttributesMissing';
}

/**
 * Registers the search attributes that Darkroom needs and the namespace lacks. Without them a generation could
 * not record its task id.
 *
 * @throws SearchAttributesMissing where the server does not let this client add them
 */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = SEARCH_ATTRIBUTES.map(({ name }) => name).filter(
    (name) => !(name in (customAttributes ?? {})),
  );
  if (missing.length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (/already exist/i.test(reason)) return;
    const flags = missing.map((name) => `--name ${name} --type Keyword`).join(' ');
    throw new SearchAttributesMissing(
      `namespace ${namespace} lacks the search attributes ${missing.join(', ')}, and they cannot be added from here ` +
        `(${reason}). Add them with:\n  temporal operator search-attribute create --namespace ${namespace} ${flags}`,
      { cause: error },
    );
  }
}
