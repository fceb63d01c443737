import { IS_BUILT } from './built.ts';
import { PROGRAMS } from './name.ts';
import { shellWord } from './shell-word.ts';

/** How the command line is called, here and in every text that names one of its commands. */
export const PROGRAM = PROGRAMS[IS_BUILT ? 'installed' : 'clone'];

/** A clone's npm scripts for what runs until it is stopped. */
const SCRIPTS = {
  demo: 'npm start',
  dev: 'npm run dev',
  worker: 'npm run worker',
  emulator: 'npm run emulator',
} as const;

/** `npm run starter -- watch generation/order-17`: a command of ours, ready to be pasted into a shell. */
export function ownCommand(...words: readonly string[]): string {
  return [PROGRAM, ...words.map(shellWord)].join(' ');
}

/** `npm run worker -- --receiver-only`: one of our programs, ready to be pasted into a shell. */
export function ownProgram(name: keyof typeof SCRIPTS, ...words: readonly string[]): string {
  if (IS_BUILT) return ownCommand(name, ...words);
  return [SCRIPTS[name], ...(words.length === 0 ? [] : ['--']), ...words.map(shellWord)].join(' ');
}
