import { h } from '../preact.js';
import { notify } from '../store.js';

/**
 * @param {string} text what is copied
 * @param {string} what how it is called
 */
export function copyButton(text, what) {
  return h(
    'button',
    { type: 'button', class: 'quiet', 'aria-label': `Copy ${what}`, onClick: () => void copy(text, what) },
    'Copy',
  );
}

/**
 * @param {string} text
 * @param {string} what
 */
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notify(`Copied ${what}.`);
  } catch {
    // Over plain http a browser allows it for this machine's own names only.
    notify('The browser does not let this page copy. Select the text instead.', true);
  }
}
