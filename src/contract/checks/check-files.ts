import { filesIn, mapFiles } from '../../api/input/file-fields.ts';
import { contentNamed, isFileReference } from '../../api/input/file-references.ts';
import type { Mistake } from '../../api/input/mistakes.ts';
import type { Model } from '../../api/models/define-model.ts';
import { type ModelOverride, takesForms } from '../../api/models/override.ts';

/** What a check needs to know of the store that files are in. */
export interface CheckedFiles {
  /** Whether a request may name the file: it lies in this store. */
  has(reference: string): boolean;
  /** Whether others can fetch its files by a URL. */
  isPublic: boolean;
}

/** Stands in for a file of the store while an input is checked: its submit makes a URL of it, or sends its bytes. */
const PLACEHOLDER_URL = 'https://input.invalid/a-file';

const OURS = 'darkroom:';

/** The input as the model's own check is to see it. */
export function withPlaceholders(model: Model, input: Readonly<Record<string, unknown>>) {
  const isOurs = (text: string): boolean => isFileReference(text) || text.startsWith(OURS);
  return mapFiles(model, input, (text) => (isOurs(text) ? PLACEHOLDER_URL : text));
}

/**
 * What is wrong with the files of the store that an input names: that they are none, and that there is no way to the API
 * for them. Whether they are there is looked at later.
 *
 * @param files undefined where the store is not known
 */
export function* checkFiles(
  model: Model,
  input: Readonly<Record<string, unknown>>,
  override: ModelOverride = {},
  files?: CheckedFiles,
): Generator<Mistake> {
  for (const { path, reference } of filesIn(model, input)) {
    const at = `input.${path.join('.')}`;
    if (!isFileReference(reference)) {
      if (reference.startsWith(OURS))
        yield { path: at, message: 'must be darkroom:sha256/ and the 64 hexadecimal digits of the file' };
      continue; // the model's own check says what it takes
    }
    if (files === undefined) continue;
    if (contentNamed(reference) === undefined && !files.has(reference))
      yield { path: at, message: "is no file of the worker's DARKROOM_OUTPUTS" };
    else if (!files.isPublic && !canBePart(model, path, override))
      yield { path: at, message: noWay(model, path, override) };
  }
}

/** A part of a form has the name of a field: what is deeper has none. */
export function canBePart(model: Model, path: readonly string[], override: ModelOverride = {}): boolean {
  const isDeep = path.length > 2 || (path.length === 2 && !/^\d+$/.test(path[1] ?? ''));
  return !isDeep && takesForms(model, override);
}

function noWay(model: Model, path: readonly string[], override: ModelOverride): string {
  const why = takesForms(model, override)
    ? `is a file inside of ${path[0]}, which no form has a part for`
    : `is a file, and ${model.id} takes no multipart/form-data (DARKROOM_CONFIG: models.${model.id}.multipart)`;
  return `${why}; set DARKROOM_PUBLIC_OUTPUTS on the worker, so that the API can fetch it`;
}
