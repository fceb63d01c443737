import { randomUUID } from 'node:crypto';
import { Collection, type Keeping } from '../storage/collection.ts';

/**
 * A ready-made input: a submit that names it is completed by its fields. The specification shows no more than
 * that templates exist; all of this is assumed.
 */
export interface Template {
  id: string;
  name: string;
  /** Only for this model; null: for every one. */
  model: string | null;
  /** Only in this workspace; null: in every one. */
  workspace: string | null;
  input: Record<string, unknown>;
}

export class Templates extends Collection<Template> {
  constructor(keeping: Keeping) {
    super(keeping, 'templates', 'template');
  }

  /** The template that a submit names, if it may be used there. */
  find(id: string, model: string, workspace: string): Template | undefined {
    const template = this.get(id);
    if (template === undefined) return undefined;
    const fits = (template.model ?? model) === model && (template.workspace ?? workspace) === workspace;
    return fits ? template : undefined;
  }

  /** Adds a template, or replaces the one with that id. */
  create({
    id = `tpl_${randomUUID()}`,
    ...wanted
  }: Omit<Template, 'id'> & { id?: string | undefined }): Template {
    const template = { ...wanted, id };
    this.save(template);
    return template;
  }
}
