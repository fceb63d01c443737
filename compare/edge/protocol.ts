/** A task's record, as much as the services tell of it. */
export interface TaskRecord {
  id: string;
  status: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELED';
  data: { images: { url: string; width: number; height: number; content_type: string }[] } | null;
  message?: string;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** What a request to a service asks for. */
export type Asked =
  | { kind: 'submit'; input: { prompt: string }; isHeld: boolean }
  | { kind: 'record'; taskId: string; view: 'status' | 'result' };

/** Why a submit is refused before anything is charged: for now, for now, and for good. */
export type Refusal = 'rate limited' | 'unavailable' | 'rejected';

/**
 * One service's way of talking, by its public documentation, and no smarter than that: no key makes a submit
 * idempotent, since none of the services documents one.
 */
export interface Protocol {
  /** @returns undefined for what it has not to do with submits and tasks */
  read(method: string, path: string, body: string): Asked | undefined;
  accepted(task: TaskRecord): Answer;
  record(task: TaskRecord, view: 'status' | 'result'): Answer;
  refused(refusal: Refusal): Answer;
}

/** The host under which a service's files lie; `network.ts` leads it to the emulator. */
export function fileUrls({ data }: TaskRecord, host: string): string[] {
  return (data?.images ?? []).map(({ url }) => `https://${host}${new URL(url).pathname}`);
}
