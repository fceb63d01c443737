import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestDigest } from '../../src/contract/purchases/request-digest.ts';
import { ended } from './foreign-program.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

const PYTHON = `
import json, sys
from darkroom_request import request_digest
for request in json.load(open(sys.argv[1])):
    print(request_digest(request))
`;

const GO = `package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	text, _ := os.ReadFile(os.Args[1])
	var requests []any
	if err := json.Unmarshal(text, &requests); err != nil {
		panic(err)
	}
	for _, request := range requests {
		digest, err := requestDigest(request)
		if err != nil {
			panic(err)
		}
		fmt.Println(digest)
	}
}
`;

/** Values that languages write differently. */
const NUMBERS = [
  ...'0.1 1 1e-6 1e-7 1.5e-10 123456.789 1e16 12345678901234567000 1e20 1e21 1.5e300 5e-324'.split(' '),
  ...'9007199254740992 9007199254740994 -1.25 -1e-7 0.00001 0.0000123 333333333.3333333'.split(' '),
].map(Number);
const TEXTS = [
  'naïve — 狐 🦊',
  '<b>&</b>',
  '\u2028\u2029',
  String.raw`\u2028 \\u2029`,
  '"/\b\f\n\r\t\u0000\u001F\u007F',
  '',
];
const OTHERS = [null, true, false, [], {}, [[1], { b: 1, a: [] }], { Z: 1, a: 2, é: 3, 狐: 4, '': 5 }];

/** Without lone surrogates, which are no text in UTF-8. */
const anyText = fc.string({ unit: 'binary' });
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
  ),
}));

function requests(): object[] {
  const drawn = fc.sample(anyValue, 300);
  const generations = [...NUMBERS, ...TEXTS, ...OTHERS, ...drawn].map((value) => ({
    model: 'image-l',
    input: { value },
    tags: { a: 'b' },
  }));
  const step = { model: 'image-l', input: { prompt: { $param: 'city' } } };
  const pipelines = [
    { steps: { b: { ...step, policy: { deadline: '1h' } }, a: step }, budget: { credits: 1 } },
    { steps: { a: step }, params: { city: 'Oslo' }, workspace: 'studio', policy: {} },
  ];
  const more = {
    model: 'image-l',
    input: {},
    templateId: 'tpl_a',
    callback: 'https://hooks.example',
    earlierRun: 'r',
  };
  // As JSON says it: -0 is 0 there.
  return JSON.parse(JSON.stringify([...generations, ...pipelines, more])) as object[];
}

describe('the digest of a request', () => {
  let folder: string;
  let expected: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'darkroom-digest-'));
    const all = requests();
    await writeFile(join(folder, 'requests.json'), JSON.stringify(all));
    expected = all.map((request) => requestDigest('steps' in request ? 'pipeline' : 'generation', request));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is the same in Python', async ({ skip }) => {
    if ((await ended('python3', ['--version'])).code !== 0) skip('python3 is not installed');
    const cwd = join(EXAMPLES, 'python');
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
    const run = await ended('python3', ['-c', PYTHON, join(folder, 'requests.json')], { cwd, env });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.trim().split('\n')).toEqual(expected);
  });

  it('is the same in Go', async ({ skip }) => {
    if ((await ended('go', ['version'])).code !== 0) skip('Go is not installed');
    await copyFile(join(EXAMPLES, 'go/request.go'), join(folder, 'request.go'));
    await writeFile(join(folder, 'main.go'), GO);
    await writeFile(join(folder, 'go.mod'), 'module digest\n\ngo 1.26.0\n');
    const run = await ended('go', ['run', '.', 'requests.json'], { cwd: folder });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.trim().split('\n')).toEqual(expected);
  }, 180_000);
});
