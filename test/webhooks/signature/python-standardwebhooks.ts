import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the package is kept between runs: with the other dependencies, outside version control. */
const FOLDER = fileURLToPath(
  new URL('../../node_modules/.cache/python-standardwebhooks-1.1.0', import.meta.url),
);

/** Reads questions as JSON, one a line, and answers each with a line of JSON. */
const PROGRAM = `
import sys, json, base64
from datetime import datetime
from standardwebhooks import Webhook
for line in sys.stdin:
    asked = json.loads(line)
    webhook = Webhook(asked["secret"])
    body = base64.b64decode(asked["body"])
    if "headers" in asked:
        try:
            webhook.verify(body, asked["headers"], json_parse=False)
            print(json.dumps(True))
        except Exception:
            print(json.dumps(False))
    else:
        at = datetime.utcfromtimestamp(asked["timestamp"])
        print(json.dumps(webhook.sign(asked["id"], at, body.decode("utf-8"))))
`;

export type Question = { secret: string; body: string } & (
  | { id: string; timestamp: number }
  | { headers: Record<string, string> }
);

/** Whether PyPI's \`standardwebhooks\` is here or could be fetched; it needs Python with pip and a registry. */
export function isPythonReady(): boolean {
  if (existsSync(FOLDER)) return true;
  try {
    const wanted = ['install', '--quiet', '--no-deps', '--target', FOLDER, 'standardwebhooks==1.1.0'];
    execFileSync('python3', ['-m', 'pip', ...wanted], { stdio: 'ignore', timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

/**
 * Asks the Python implementation.
 *
 * @returns a signature for each question with an id, a verdict for each with headers
 */
export function askPython(questions: readonly Question[]): (string | boolean)[] {
  const answers = execFileSync('python3', ['-W', 'ignore', '-c', PROGRAM], {
    env: { ...process.env, PYTHONPATH: FOLDER },
    input: questions.map((question) => `${JSON.stringify(question)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return answers
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as string | boolean); // the program above prints nothing else
}
