import pLimit from 'p-limit';
import type { ReachedOutputs, StoredOutputUrl } from '../../contract/steps/step-look.ts';
import { isDataUri } from '../../outputs/download/data-uri.ts';
import { type DownloadRules, download } from '../../outputs/download/download.ts';
import { shownUrl } from '../../outputs/download/download-target.ts';
import { OutputDelayed, OutputGone } from '../../outputs/output-errors.ts';
import type { PublicUrl } from '../../outputs/public-outputs.ts';

/** Milliseconds in which an address has to begin its answer. */
const PATIENCE = 5_000;
const AT_ONCE = 10;
/** Answers that say that this address will not do any more; after others it may. */
const DEAD: ReadonlySet<number> = new Set([401, 403, 404]);

export interface ReachDeps {
  downloads: DownloadRules;
  publicUrl: PublicUrl;
}

/**
 * Where the outputs that a step is to use can be reached by now: the API's own URL while it lives, then the stored copy
 * where that is public. Each address is asked for its first bytes; one that gives no clear answer is taken to live.
 */
export async function reachOutputs(
  deps: ReachDeps,
  outputs: readonly StoredOutputUrl[],
): Promise<ReachedOutputs> {
  const limit = pLimit(AT_ONCE);
  const urls = await Promise.all(outputs.map((output) => limit(() => reach(deps, output))));
  const lost = urls.indexOf(undefined);
  const output = outputs[lost];
  if (output === undefined) return { ok: true, urls: urls.filter((url) => url !== undefined) };
  return {
    ok: false,
    message: `${shownUrl(output.url)}, which this step needs, cannot be fetched any more, and its stored copy has no public address: set DARKROOM_PUBLIC_OUTPUTS; nothing was bought for this step`,
  };
}

async function reach(
  { downloads, publicUrl }: ReachDeps,
  { url, stored }: StoredOutputUrl,
): Promise<string | undefined> {
  if (await lives(url, downloads)) return url;
  const copy = stored === undefined ? undefined : await publicUrl(stored);
  return copy !== undefined && (await lives(copy, downloads)) ? copy : undefined;
}

async function lives(url: string, downloads: DownloadRules): Promise<boolean> {
  // A file that is written out in its URI is none that an API could fetch.
  if (isDataUri(url) || !/^https?:/i.test(url)) return false;
  try {
    const answer = await download(url, downloads, { timeout: PATIENCE, idleTimeout: PATIENCE });
    await answer.close();
    return true;
  } catch (error) {
    if (error instanceof OutputGone) return false;
    return !(error instanceof OutputDelayed && error.status !== undefined && DEAD.has(error.status));
  }
}
