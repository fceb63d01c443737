import type { Per } from './periods.ts';

/** What a purchase does that a cap does not admit. */
export const CAP_ACTIONS = ['warn', 'wait', 'fail'] as const;

/** A limit on what some purchases may cost together. */
export interface Cap {
  name: string;
  /** Those that it counts: of this workspace, of this model, and with all of these tags. */
  workspace?: string | undefined;
  model?: string | undefined;
  tag?: Readonly<Record<string, string>> | undefined;
  per: Per;
  credits: number;
  /** `wait`: for the next period. */
  action: (typeof CAP_ACTIONS)[number];
}

/** The facts of a purchase that a cap goes by. */
export interface Capped {
  workspace: string;
  model: string;
  /** Undefined where nobody knows them: every cap by tags may be meant. */
  tags: Readonly<Record<string, string>> | undefined;
}

/** The caps that count a purchase. */
export function capsOn(caps: readonly Cap[], { workspace, model, tags }: Capped): Cap[] {
  return caps.filter(
    (cap) =>
      (cap.workspace ?? workspace) === workspace &&
      (cap.model ?? model) === model &&
      (tags === undefined ||
        Object.entries(cap.tag ?? {}).every(
          ([name, value]) => Object.hasOwn(tags, name) && tags[name] === value,
        )),
  );
}
