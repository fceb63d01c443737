import type { TLSConfig } from '@temporalio/client';

/** Where Temporal is and how to get in, for the client and the worker alike. */
export interface TemporalSettings {
  address: string;
  namespace: string;
  tls?: TLSConfig | boolean;
  apiKey?: string;
  metadata?: Record<string, string>;
}

/** The SDK's. */
export const DEFAULT_ADDRESS = 'localhost:7233';
export const DEFAULT_NAMESPACE = 'default';
