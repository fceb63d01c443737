/** Every workflow that the worker runs. The bundle is made of this file: no zod, no Node modules below it. */
export { creditGate } from './credit-gate/credit-gate.ts';
export { generation } from './generation/generation.ts';
export { pipeline } from './pipeline/pipeline.ts';
export { submitPace } from './submit-pace/submit-pace.ts';
export { unclaimedTasks } from './unclaimed-tasks/unclaimed-tasks.ts';
