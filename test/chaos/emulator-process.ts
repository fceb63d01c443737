import { type EmulatorOptions, startEmulator } from '../../emulator/src/server.ts';

/** The emulator as a process of its own, with options that its environment does not have. Prints where it is. */
const [text = '{}'] = process.argv.slice(2);
const emulator = await startEmulator(JSON.parse(text) as EmulatorOptions); // written by emulator-control.ts
process.stdout.write(`${JSON.stringify({ baseUrl: emulator.baseUrl, controlUrl: emulator.controlUrl })}\n`);
process.once('SIGTERM', () => void emulator.close().then(() => process.exit(0)));
