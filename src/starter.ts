#!/usr/bin/env node
import { keepCompiledCode } from './config/compile-cache.ts';

keepCompiledCode();
await import('./command-line.ts');
