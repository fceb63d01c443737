/** What release 0.1 kept in `unclaimed-tasks/<workspace>`: whole inputs and bodies. */

export interface OldClaim {
  claimId: string;
  workflowId: string;
  runId: string;
  model: string;
  body: Record<string, unknown>;
  since: number;
  known?: string[];
  wait?: number;
  lastResortAt?: number;
  looksUntil?: number;
  looksUntilAtMost?: number;
}

export interface OldTask {
  taskId: string;
  input: Record<string, unknown>;
  receivedAt: number;
}

export interface OldEntry {
  task: OldTask;
  owner?: string;
  expiresAt: number;
  isSpent?: true;
}

export interface OldLimits {
  entryLife: number;
  maxEntries: number;
  maxCharacters: number;
  claimCheck: number;
  maxHistory: number;
}
