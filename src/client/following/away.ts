import { grpcStatus, isBusy, isRefused } from '../../temporal/grpc-status.ts';

/** Pauses after what Temporal has not answered grow from this to that (milliseconds). */
const PAUSE = { first: 2_000, longest: 10_000 };

/** The pause after so many failures in a row (milliseconds). */
export function pauseAfter(failures: number): number {
  return Math.min(PAUSE.first * 2 ** (failures - 1), PAUSE.longest);
}

/** Whether Temporal may answer later what it has not answered now: it has not refused, and the connection is not closed. */
export function mayAnswerLater(error: unknown): boolean {
  return grpcStatus(error).code !== undefined && (!isRefused(error) || isBusy(error));
}
