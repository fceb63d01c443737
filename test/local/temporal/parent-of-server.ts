/** `node parent-of-server.ts <binary> <end>`: starts a dev server, says where it is, and ends, or waits to be ended. */
import { startDevServer } from '../../../src/local/temporal/dev-server.ts';

const [binary = '', end] = process.argv.slice(2);
const server = await startDevServer({ binary, ui: false, ports: { grpc: 0, ui: 0 } });
console.log(server.address);
if (end === 'throw') {
  setImmediate(() => {
    throw new Error('on purpose');
  });
} else if (end === 'exit') {
  process.exit();
} else if (end === 'wait') {
  process.stdin.resume();
}
