import type { Client } from '@temporalio/client';
import { describeRun } from '../../temporal/describe-run.ts';
import { UsageError } from '../failures/usage-error.ts';

const KINDS = ['generation', 'pipeline', 'batch'] as const;

/**
 * The workflow id that somebody means: as it is written, or, of a key alone, that of the generation, pipeline or batch
 * that has it. What is not there stays as it is written, for the command to say so.
 *
 * @throws UsageError where several have the key
 */
export async function knownId(temporal: Client, id: string): Promise<string> {
  if (id.includes('/') || (await describeRun(temporal, id)) !== undefined) return id;
  const ids = KINDS.map((kind) => `${kind}/${id}`);
  const there = await Promise.all(ids.map((one) => describeRun(temporal, one)));
  const found = ids.filter((_, index) => there[index] !== undefined);
  if (found.length > 1) throw new UsageError(`${id} may be ${found.join(' or ')}: write it whole`);
  return found[0] ?? id;
}
