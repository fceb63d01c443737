import { z } from 'zod';

/**
 * The balance exactly as the API specification describes it: whole credits, and the expiry an ISO 8601 time that
 * exists in the calendar and ends in Z. Services are held to it.
 */
export const creditsSchema = z.looseObject({
  permanent: z.int(),
  subscription: z.int(),
  subscription_expires_at: z.iso.datetime(),
  available: z.int(),
});
export type Credits = z.infer<typeof creditsSchema>;

/** What Darkroom reads of a balance: only `available` must be right, because parked generations wait for it. */
export const readCreditsSchema = z.looseObject({
  permanent: z.number().catch(0),
  subscription: z.number().catch(0),
  subscription_expires_at: z.iso.datetime({ offset: true }).nullish().catch(null),
  available: z.number(),
});
export type ReadCredits = z.infer<typeof readCreditsSchema>;
