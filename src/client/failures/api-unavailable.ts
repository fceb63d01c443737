import { apiKeySetting } from '../../config/worker-variables.ts';

/** The media API did not give what it was asked for. The message names the setting to check. */
export class ApiUnavailable extends Error {
  override readonly name = 'ApiUnavailable';
  /** The API's code, or `NETWORK` or `UNREADABLE`. */
  readonly code: string;

  constructor({ code, reason }: { code: string; reason: string }, apiUrl: string, workspace: string) {
    super(`${reason}\n  ${advice(code, apiUrl, workspace)}`);
    this.code = code;
  }
}

function advice(code: string, apiUrl: string, workspace: string): string {
  if (code !== 'UNAUTHORIZED' && code !== 'WORKSPACE_FORBIDDEN') {
    return `DARKROOM_API_URL is ${apiUrl}; is it right, and is the service up?`;
  }
  return `check ${apiKeySetting(workspace)}`;
}
