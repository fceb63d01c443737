import { whyNot } from '../../contract/steps/step-result.ts';
import { itemsOf, type State } from './state.ts';

/**
 * What a person is asked, by the stage of the step: what operators search by, in words whether it is asked, the updates
 * that answer it, and what each answer does. The first one may come with another input.
 */
export const QUESTIONS = {
  approval: {
    state: 'waiting for approval',
    is: 'waits for approval',
    isNot: 'does not wait for approval',
    updates: ['approve', 'reject'],
    answers: { approve: 'buys it', reject: 'skips it and what depends on it' },
  },
  held: {
    state: 'needs a decision',
    is: 'is held',
    isNot: 'is not held',
    updates: ['resolve'],
    answers: {
      retry: 'tries what failed again',
      skip: 'skips it and what depends on it',
      fail: 'lets it fail',
    },
  },
} as const;

export type Asked = keyof typeof QUESTIONS;

/** What a person is asked of a step, and why; undefined: nobody is asked. */
export function questionOf(state: State, name: string): { kind: Asked; why: string } | undefined {
  const at = state.steps.get(name)?.at;
  if (at === 'approval') return { kind: at, why: 'what it needs is done: approve or reject it' };
  return at === 'held' ? { kind: at, why: whyNot(itemsOf(state, name)) ?? '' } : undefined;
}
