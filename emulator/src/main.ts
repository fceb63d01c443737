#!/usr/bin/env node
import { runEmulator } from './run-emulator.ts';

process.exit(await runEmulator());
