import { type EmulatorOptions, startEmulator } from '../../emulator/src/server.ts';
import { serve } from '../receiver/served.ts';

/** The emulator in a process of its own. The argument: its options as JSON. */
const options = JSON.parse(process.argv[2] ?? '{}') as EmulatorOptions; // written by the bench beside it
const { port } = await startEmulator({ ...options, port: 0, media: 'tiny' });
serve(port);
