import { randomUUID } from 'node:crypto';
import type { Changes } from '../storage/changes.ts';
import type { Storage, Table } from '../storage/storage.ts';

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

export class Templates {
  readonly #templates = new Map<string, Template>();
  readonly #table: Table<Template>;
  readonly #changes: Changes;

  constructor(storage: Storage, changes: Changes) {
    this.#changes = changes;
    this.#table = storage.table('templates');
    for (const template of this.#table.all()) this.#templates.set(template.id, template);
  }

  all(): Template[] {
    return [...this.#templates.values()];
  }

  /** The template that a submit names, if it may be used there. */
  find(id: string, model: string, workspace: string): Template | undefined {
    const template = this.#templates.get(id);
    if (template === undefined) return undefined;
    const fits = (template.model ?? model) === model && (template.workspace ?? workspace) === workspace;
    return fits ? template : undefined;
  }

  /** Adds a template, or replaces the one with that id. */
  save(wanted: Omit<Template, 'id'> & { id?: string | undefined }): Template {
    const template: Template = { ...wanted, id: wanted.id ?? `tpl_${randomUUID()}` };
    this.#templates.set(template.id, template);
    this.#table.put(template.id, template);
    this.#changes.announce('template', template.id);
    return template;
  }

  remove(id: string): boolean {
    if (!this.#templates.delete(id)) return false;
    this.#table.remove(id);
    this.#changes.announce('template', id);
    return true;
  }
}
