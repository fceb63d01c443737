import EspeakNg from 'espeak-ng';

/** How a text is spoken. */
export interface Manner {
  /** An espeak-ng voice with an optional variant: `en-us`, `de+f3`. */
  voice: string;
  /** 0 to 99. */
  pitch: number;
  /** Words a minute. */
  speed: number;
}

/** espeak-ng writes mono, 16 bits, at this rate. */
export const SPEECH_RATE = 22_050;

/** What comes before the samples in its WAV files. */
const WAV_HEADER_BYTES = 44;

/**
 * Speaks a text with espeak-ng (wasm; about 75 ms to start and 1 ms for a second of speech) and returns the
 * samples.
 *
 * @throws Error with espeak-ng's own words when it gives no sound, e.g. for a voice that it does not have.
 */
export async function speak(text: string, { voice, pitch, speed }: Manner): Promise<Int16Array> {
  const complaints: string[] = [];
  // The wasm program's exit sets the exit code of the process that it runs in, to 1 for a wrong voice.
  const exitCode = process.exitCode;
  try {
    const program = await EspeakNg({
      // From a file, because a text that begins with a dash would be taken for an option. -D: no chance.
      arguments: [
        '-D',
        '-b',
        '1',
        '-v',
        voice,
        '-p',
        `${pitch}`,
        '-s',
        `${speed}`,
        '-f',
        '/text',
        '-w',
        '/speech.wav',
      ],
      preRun: [({ FS }) => FS.writeFile('/text', text)],
      print: (line) => complaints.push(line),
      printErr: (line) => complaints.push(line),
    });
    return samplesOf(program.FS.readFile('/speech.wav'));
  } catch (error) {
    throw new Error(`espeak-ng did not speak: ${complaints[0] ?? 'no reason given'}`, { cause: error });
  } finally {
    process.exitCode = exitCode;
  }
}

function samplesOf(wav: Uint8Array): Int16Array {
  const bytes = wav.slice(WAV_HEADER_BYTES, wav.length - (wav.length % 2));
  return new Int16Array(bytes.buffer);
}
