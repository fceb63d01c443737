import { exitAsAsked } from './terminal/exit-codes.ts';
import { workerCommand } from './worker/worker-command.ts';

await workerCommand().exitOverride(exitAsAsked).parseAsync();
