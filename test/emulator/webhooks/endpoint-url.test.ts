import { expect, test } from 'vitest';
import { endpointUrl } from '../../../emulator/src/webhooks/endpoint-url.ts';

const NO_URL = ['must be an http(s) URL'];
const FORBIDDEN = ['must not be at a link-local address or a cloud metadata service'];

test.each<[string, string[]]>([
  ['http://127.0.0.1:8787/webhooks', []],
  ['https://hooks.example/169.254.169.254', []],
  ['https://metadata.example', []],
  ['http://metadatagoog', []],
  ['http://[2001:db8::1]/', []],
  ['nowhere', NO_URL],
  ['', NO_URL],
  ['ftp://hooks.example', NO_URL],
  ['httpx://hooks.example', NO_URL],
  ['xhttp://hooks.example', NO_URL],
  ['http://metadata', FORBIDDEN],
  ['http://metadata.google.internal', FORBIDDEN],
  ['http://METADATA.google.internal.', FORBIDDEN],
  ['http://metadata.goog', FORBIDDEN],
  ['http://metadata.azure.internal', FORBIDDEN],
  ['http://metadata.tencentyun.com', FORBIDDEN],
  ['http://instance-data', FORBIDDEN],
  ['http://instance-data.ec2.internal', FORBIDDEN],
  ['http://100.100.100.200', FORBIDDEN],
  ['http://192.0.0.192', FORBIDDEN],
  ['http://[fd00:ec2::254]', FORBIDDEN],
  ['http://169.254.1.1', FORBIDDEN],
  ['http://[fe80::1]', FORBIDDEN],
  ['http://[::ffff:169.254.169.254]', FORBIDDEN],
])('an endpoint at %j: %j', (url, messages) => {
  const { error } = endpointUrl.safeParse(url);
  expect(error?.issues.map(({ message }) => message) ?? []).toEqual(messages);
});
