/** The package's name on npm, and that of its program: `darkroom` alone is somebody else's there. */
export const PACKAGE = 'temporal-darkroom';

/** The emulator's, which is installed beside it. */
export const EMULATOR_PACKAGE = 'darkroom-emulator';

/** How the command line is called where the package is installed, and where it is not. */
export const PROGRAMS = { installed: `npx ${PACKAGE}`, clone: 'npm run starter --' } as const;
