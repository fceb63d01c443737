/** The emulator's package. In the published package this file is `export * from 'darkroom-emulator'`. */
export * from '../../emulator/src/index.ts';
