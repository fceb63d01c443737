/** A refusal of the control API; the message is its own. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Calls the control API.
 *
 * @template T what the operation answers (docs/emulator.md): the caller says it
 * @param {string} operation e.g. `POST /keys/abc/revoke`; parts that vary are already percent-encoded
 * @param {unknown} [body]
 * @returns {Promise<T>} the answer's JSON
 * @throws {Refusal}
 */
export async function control(operation, body) {
  const [method = '', path = ''] = operation.split(' ');
  const response = await fetch(`control${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Refusal(0, 'The emulator does not answer. Is it still running?');
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text === '' ? 'null' : text);
  throw new Refusal(response.status, messageOf(text) ?? `The emulator answered ${response.status}.`);
}

/**
 * @param {string} text
 * @returns {string | undefined}
 */
function messageOf(text) {
  try {
    return JSON.parse(text).message;
  } catch {
    return undefined;
  }
}
