import type { MediaApi } from '../api/client/media-api.ts';

/** What the activities need of a workspace. */
export interface WorkspaceAccess {
  apiKey: string;
  /** Whether it has a webhook secret; undefined: that is not known. */
  takesWebhooks?: boolean;
}

/** The media API, with the keys to it. */
export interface ApiAccess {
  api: MediaApi;
  workspaces: ReadonlyMap<string, WorkspaceAccess>;
}
