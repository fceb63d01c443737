/** One thing that is not as the contract, or the emulator, has it. */
export interface Difference {
  /** Of the recording: its step, and its model. */
  exchange: string;
  /** From what it differs. */
  from: 'the contract' | 'the emulator';
  says: string;
  /** The emulator's assumption that says otherwise, where one does. */
  assumption?: string;
}

/** "a submit (image-l): …; the emulator's assumption submitStatus" */
export function inWords({ exchange, from, says, assumption }: Difference): string {
  const hint = assumption === undefined ? '' : ` (assumption ${assumption})`;
  return `${exchange}: differs from ${from}: ${says}${hint}`;
}
