import type { Client, Connection } from '@temporalio/client';
import { DarkroomClient } from '../client/darkroom-client.ts';
import { type ClientConfig, loadClientConfig } from '../config/client-config.ts';
import { connectClient } from '../temporal/connection.ts';

/** A connection to Temporal for one command. */
export interface Session {
  config: ClientConfig;
  temporal: Client & { connection: Connection };
  darkroom: DarkroomClient;
}

/** Connects as the environment says, for as long as `use` takes. */
export async function withSession<T>(use: (session: Session) => Promise<T>): Promise<T> {
  const config = loadClientConfig();
  const temporal = await connectClient(config.temporal);
  try {
    const darkroom = new DarkroomClient(temporal, { taskQueue: config.taskQueue });
    return await use({ config, temporal, darkroom });
  } finally {
    await temporal.connection.close();
  }
}
