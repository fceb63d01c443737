#!/usr/bin/env node
import { needNode } from './package/node.ts';

needNode();
const { keepCompiledCode } = await import('./config/compile-cache.ts');
keepCompiledCode();
await import('./command-line.ts');
