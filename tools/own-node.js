/**
 * Loaded first by the programs of a clone, and written so that any Node reads it: one that cannot run TypeScript is told
 * how the Node that belongs to the clone gets here. npm brings it by an install script, which settings can forbid.
 */
if (!process.features.typescript) {
  const wanted = 'npm install --ignore-scripts=false';
  process.stderr.write(
    `Node ${process.versions.node} cannot run a clone, and the Node 24 that npm brings for it is not there: run "${wanted}".\n`,
  );
  process.exit(1);
}
