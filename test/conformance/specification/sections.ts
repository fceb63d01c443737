import { EVENTS } from './events.ts';
import { ALL_MODELS } from './models.ts';
import { OPERATIONS } from './operations.ts';
import { RESOURCES } from './resources.ts';
import type { Section } from './row.ts';

/** The whole table but the models, chapter by chapter. */
export const SECTIONS = {
  before: RESOURCES,
  models: ALL_MODELS,
  after: [...OPERATIONS, ...EVENTS],
} as const satisfies Record<string, Section | readonly Section[]>;
