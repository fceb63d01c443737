/** The emulator's package. In the published `darkroom` this file is `export * from 'darkroom-emulator'`. */
export * from '../../emulator/src/index.ts';
