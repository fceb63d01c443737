/** Columns of the terminal that this program prints to; undefined where both its streams go elsewhere. */
export function terminalColumns(): number | undefined {
  const { stdout, stderr } = process;
  return stdout.isTTY ? stdout.columns : stderr.isTTY ? stderr.columns : undefined;
}
