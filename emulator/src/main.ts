#!/usr/bin/env node
import { needNode } from '../../src/package/node.ts';

needNode();
const { answerArguments } = await import('./answer-arguments.ts');
const done = answerArguments(process.argv.slice(2));
if (done !== undefined) process.exit(done);
const { runEmulator } = await import('./run-emulator.ts');
process.exit(await runEmulator());
