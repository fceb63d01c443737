import { z } from 'zod';

/** The balance as `GET credits` answers it. `subscription_expires_at` is an ISO 8601 UTC time ending in Z. */
export const creditsSchema = z.looseObject({
  permanent: z.int(),
  subscription: z.int(),
  subscription_expires_at: z.iso.datetime({ offset: false }).nullish(),
  available: z.int(),
});
export type Credits = z.infer<typeof creditsSchema>;
