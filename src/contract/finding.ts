/** What one check has found, in `darkroom doctor` and in the workflow `darkroomCheck`. */
export interface Finding {
  /** What was checked, and of what: `temporal`, `key of workspace film`. */
  check: string;
  status: 'ok' | 'warning' | 'failure';
  message: string;
  /** What to do; null where nothing has to be done. */
  fix: string | null;
}

/** The result of `darkroomCheck`. */
export interface CheckResult {
  findings: Finding[];
}

/** What a worker process has found from its own place. */
export interface PlaceReport extends CheckResult {
  /** Its settings by name, secrets as their ids: workers of one deployment have the same. */
  settings: Record<string, string>;
}

/** The argument of `darkroomCheck`, for a rollout's gate: with `gate` it fails where a check fails. */
export interface CheckRequest {
  gate?: boolean;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, fix: null };
}

export function warning(check: string, message: string, fix: string): Finding {
  return { check, status: 'warning', message, fix };
}

export function failure(check: string, message: string, fix: string): Finding {
  return { check, status: 'failure', message, fix };
}
