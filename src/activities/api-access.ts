import type { Caller, MediaApi } from '../api/client/media-api.ts';

/** What the activities need of a workspace. */
export interface WorkspaceAccess extends Caller {
  /** Whether it has a webhook secret; undefined: that is not known. */
  takesWebhooks?: boolean;
}

/** The media API, with the keys to it. */
export interface ApiAccess {
  api: MediaApi;
  workspaces: ReadonlyMap<string, WorkspaceAccess>;
}
