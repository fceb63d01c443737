import { ApplicationFailure } from '@temporalio/common';
import { firstError, listErrors } from '../../api/input/mistakes.ts';
import { type CallbackRequest, type CallbackRules, checkCallback } from '../../contract/callback.ts';
import type { DownloadRules } from '../../outputs/download/download.ts';
import { guardedPost } from '../../outputs/download/guarded-post.ts';
import { signedHeaders } from '../../webhooks/signature/sign.ts';

/** Milliseconds for a receiver to answer. */
const TIMEOUT = 15_000;
/** Callbacks at once of a process, a part of its activities' slots: receivers that hang must not keep tasks waiting. */
const MOST = 40;

let open = 0;

/** Where callbacks may go, and what they are signed with: several while rotating. */
export interface Callbacks extends CallbackRules {
  secrets: readonly string[];
}

/**
 * One POST of what has become of a run, signed as a Standard Webhook; any 2xx takes it. The id is the run's, so that a
 * receiver can tell a second try.
 *
 * @throws what makes Temporal try again; INVALID_REQUEST, for good, where the worker may not call there
 */
export async function sendCallback(
  { callbacks, downloads }: { callbacks: Callbacks; downloads: DownloadRules },
  { url, word }: CallbackRequest,
): Promise<void> {
  const wrong = listErrors(checkCallback(url, callbacks));
  if (wrong.length > 0) throw ApplicationFailure.nonRetryable(firstError(wrong), 'INVALID_REQUEST');
  const body = JSON.stringify(word);
  const headers = signedHeaders(callbacks.secrets, { id: `msg_${word.runId}`, body, at: Date.now() });
  if (open >= MOST)
    throw ApplicationFailure.create({
      message: 'other callbacks are under way',
      type: 'CALLBACKS_BUSY',
      nextRetryDelay: TIMEOUT * (0.5 + Math.random()), // this receiver has refused nothing
    });
  open += 1;
  const status = await guardedPost(url, downloads, { headers, body, timeout: TIMEOUT }).finally(() => {
    open -= 1;
  });
  // Gone: whoever listened there says that nobody does any more (Standard Webhooks).
  if (status === 410) throw ApplicationFailure.nonRetryable('the callback answers 410', 'CALLBACK_GONE');
  if (status < 200 || status >= 300)
    throw ApplicationFailure.retryable(`the callback answers ${status}`, 'CALLBACK_REFUSED');
}
