import { ApplicationFailure } from '@temporalio/common';
import type { StepFailure } from '../pipeline.ts';

const LONGEST_MESSAGE = 1_000;

/** Why a generation failed, as a pipeline tells it of a step. */
export function stepFailure(cause: unknown): StepFailure {
  if (cause instanceof ApplicationFailure) {
    const details: unknown = cause.details?.[0] ?? null;
    return { type: cause.type ?? 'UNKNOWN', message: short(cause.message), details };
  }
  const message = cause instanceof Error ? cause.message : 'the generation ended without a result';
  return { type: cause instanceof Error ? cause.name : 'UNKNOWN', message: short(message), details: null };
}

function short(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE - 1)}…`;
}
