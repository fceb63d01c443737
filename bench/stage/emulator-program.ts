import { type EmulatorOptions, startEmulator } from '../../emulator/src/server.ts';

/** The emulator as a process of its own. The argument: its options as JSON. Says where it is. */
const options = JSON.parse(process.argv[2] ?? '{}') as EmulatorOptions; // written by emulator.ts
const { baseUrl, controlUrl } = await startEmulator({ ...options, port: 0, media: 'tiny' });
console.log(JSON.stringify({ baseUrl, controlUrl }));
