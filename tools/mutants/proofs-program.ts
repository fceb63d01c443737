import { matching, type Proof } from '../../test/conformance/specification/row.ts';
import { idOf } from './test-id.ts';
import { runTests } from './test-run.ts';

/** Runs the proofs that its message names, and answers with the outcomes. Started by run-proofs.ts. */
export interface ProofsAsked {
  readonly proofs: readonly Proof[];
  readonly stopsAtFailure: boolean;
}

// Not `once`: without a listener the channel no longer keeps the process, which may wait for a timer that does not either.
process.on('message', ({ proofs, stopsAtFailure }: ProofsAsked) => {
  void run({ proofs, stopsAtFailure });
});

async function run({ proofs, stopsAtFailure }: ProofsAsked): Promise<void> {
  const isNamed = proofs.map(({ file, title }) => {
    const isOne = matching(title);
    return (id: string) => id.startsWith(idOf(file, '')) && isOne(id.slice(idOf(file, '').length));
  });
  const outcomes = await runTests({
    files: [...new Set(proofs.map(({ file }) => file))],
    isWanted: (id) => isNamed.some((isOne) => isOne(id)),
    stopsAtFailure,
  });
  process.send?.(outcomes, () => process.exit());
}
