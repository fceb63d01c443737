import { contentNamed, inputKey } from '../../api/input/file-references.ts';
import type { CheckedFiles } from '../../contract/checks/check-files.ts';
import type { OutputLocation } from '../output-location.ts';
import { keyOf, type PublicOutputs } from '../public-outputs.ts';

/** Which files of the store a request may name, and where they lie. */
export interface InputFiles extends CheckedFiles {
  /** The file's key in the store; undefined where it lies elsewhere. */
  keyOf(reference: string): string | undefined;
}

export function inputFiles(location: OutputLocation, setting: PublicOutputs | undefined): InputFiles {
  const find = (reference: string): string | undefined => {
    const sha256 = contentNamed(reference);
    return sha256 === undefined ? keyOf(location, reference) : inputKey(sha256);
  };
  return {
    keyOf: find,
    has: (reference) => find(reference) !== undefined,
    isPublic: setting !== undefined,
  };
}
