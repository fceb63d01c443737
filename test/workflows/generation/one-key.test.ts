import { expect, it } from 'vitest';
import { FAST, image, openWorld } from '../world.ts';

it('one key buys for the workspace that its requests name, and its credits are asked for', async () => {
  const apiKey = 'dk_local_of_both';
  const access = (workspace: string, secret: string) => ({
    apiKey,
    headers: { 'x-workspace': workspace },
    webhookSecrets: [secret],
    legacy: 'refuse' as const,
  });
  const world = await openWorld({
    emulator: {
      accounts: [
        { workspace: 'default', apiKey, otherWorkspaces: ['studio'] },
        { workspace: 'studio', credits: { permanent: 100, subscription: 0 } },
      ],
    },
    config: {
      workspaces: new Map([
        ['default', access('default', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
        ['studio', access('studio', 'whsec_cGFzc3dvcmQtb2YtdHdlbnR5LWZvdXItYnl0ZXM=')],
      ]),
    },
  });
  try {
    const handle = await world.start({ ...image('for the studio', FAST), workspace: 'studio' });
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED', charged: { total: 8, permanent: 8 } });
    expect(world.charges(handle.workflowId)).toMatchObject([{ workspace: 'studio' }]);
  } finally {
    await world.close();
  }
});
