import { filesIn } from '../../api/input/file-fields.ts';
import { isFileReference } from '../../api/input/file-references.ts';
import { findModel } from '../../api/models/registry.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { NamedFile } from '../generation/look-at-files.ts';

/** The files of the store that a checked pipeline names: in its steps' inputs, and in its parameters. */
export function pipelineFiles({ steps, params = {} }: PipelineRequest): NamedFile[] {
  const inSteps = Object.entries(steps).flatMap(([name, step]) => {
    const model = findModel(step.model);
    const files = model === undefined ? [] : filesIn(model, step.input);
    return files.map(({ path, reference }) => ({
      path: `steps.${name}.input.${path.join('.')}`,
      reference,
    }));
  });
  const inParams = Object.entries(params).flatMap(([name, value]) =>
    [value]
      .flat()
      .flatMap((one): NamedFile[] =>
        typeof one === 'string' && isFileReference(one) ? [{ path: `params.${name}`, reference: one }] : [],
      ),
  );
  return [...inSteps, ...inParams];
}
