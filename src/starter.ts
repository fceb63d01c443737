import { runStarter } from './starter/program.ts';

const exitCode = await runStarter(process.argv.slice(2));
// Whatever is still under way (an unanswered query) is of no use any more; what was written goes out first.
process.stdout.write('', () => process.exit(exitCode));
