import { MOST_GENERATIONS } from '../../contract/limits.ts';
import type { StepState } from '../../contract/pipeline.ts';
import type { State } from './state.ts';

/** Characters of a state and of a note: anybody may send the signal. */
const LONGEST_STATE = 40;
export const LONGEST_NOTE = 300;
/** Characters of a step's name, and of a generation's number. */
const LONGEST_PATH = 80;

/** What a generation needs now. Whoever sends a signal may say so, in any words. */
export function heard(state: State, said: Partial<StepState> | null | undefined): State {
  const [path] = typeof said?.path === 'string' ? said.path.split('@', 1) : [];
  const needs: unknown = said?.state;
  const note: unknown = said?.note;
  if (path === undefined || path.length > LONGEST_PATH) return state;
  if (!state.heard.has(path) && state.heard.size >= MOST_GENERATIONS) return state;
  const all = new Map(state.heard);
  if (typeof needs === 'string' && needs !== '') {
    const words = typeof note === 'string' ? note : '';
    all.set(path, { state: needs.slice(0, LONGEST_STATE), note: words.slice(0, LONGEST_NOTE) });
  } else all.delete(path);
  return { ...state, heard: all };
}
