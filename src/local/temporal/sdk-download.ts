/**
 * `node sdk-download.ts <folder> <version>`: has the Temporal SDK download the Temporal CLI into a folder, and ends.
 * A program of its own, because the SDK's download has no time-out and cannot be cancelled, and because it would
 * leave its native runtime behind in the process that asked for it. The SDK also starts what it has downloaded,
 * which proves that it runs here.
 */
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [downloadDir, version] = process.argv.slice(2);
if (downloadDir === undefined || version === undefined)
  throw new Error('usage: sdk-download.ts <folder> <version>');
try {
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir, version, ttl: '1d' } },
  });
  await environment.teardown();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
