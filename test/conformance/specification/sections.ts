import { DASHBOARD } from './dashboard.ts';
import { ENDPOINTS } from './endpoints.ts';
import { ERRORS } from './errors.ts';
import { EVENTS } from './events.ts';
import { LIMITS } from './limits.ts';
import { ALL_MODELS } from './models.ts';
import { RECEIVING } from './receiving.ts';
import { RESOURCES } from './resources.ts';
import type { Section } from './row.ts';

/** The whole table but the models, chapter by chapter. */
export const SECTIONS = {
  before: RESOURCES,
  models: ALL_MODELS,
  after: [...ENDPOINTS, ...ERRORS, ...EVENTS, ...RECEIVING, LIMITS, ...DASHBOARD],
} as const satisfies Record<string, Section | readonly Section[]>;
