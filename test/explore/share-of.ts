import { createHash } from 'node:crypto';

/** Which of so many shares something belongs to, from 1: by its name, because no two rehearsals are quite the same. */
export function shareOf(name: string, shares: number): number {
  return (createHash('sha256').update(name).digest().readUInt32BE() % shares) + 1;
}
