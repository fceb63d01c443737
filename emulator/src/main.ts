#!/usr/bin/env node
import { answerArguments } from './answer-arguments.ts';
import { runEmulator } from './run-emulator.ts';

process.exit(answerArguments(process.argv.slice(2)) ?? (await runEmulator()));
