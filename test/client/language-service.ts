import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';

/** Where the cursor is in a source text. */
const CURSOR = '‸';

/** An entry of an editor's completion list, with the text that it shows beside it. */
export interface Completion {
  label: string;
  documentation: string;
}

/** TypeScript's language service, as an editor talks to it. */
export interface LanguageService extends AsyncDisposable {
  /** What is proposed at the cursor, a `‸` in the text of a file that is nowhere else than here. */
  completions(path: string, textWithCursor: string): Promise<Completion[]>;
  /** The documentation of one of the proposals. */
  documentation(path: string, textWithCursor: string, label: string): Promise<string>;
}

interface Item {
  label: string;
  documentation?: string | { value: string };
}

/** @param root the folder of the project, with its tsconfig.json */
export async function startLanguageService(root: string): Promise<LanguageService> {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  );
  const server = spawn(process.execPath, [compiler, '--lsp', '--stdio'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  // It asks for settings, and to be told of changed files: it has to live with the defaults.
  connection.onRequest((_method, params) => {
    const { items } = (params ?? {}) as { items?: unknown[] };
    return items?.map(() => null) ?? null;
  });
  connection.listen();
  const rootUri = pathToFileURL(root).href;
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri,
    workspaceFolders: [{ uri: rootUri, name: 'project' }],
    capabilities: {
      textDocument: {
        completion: {
          completionItem: {
            documentationFormat: ['plaintext'],
            resolveSupport: { properties: ['documentation'] },
          },
        },
      },
    },
  });
  await connection.sendNotification('initialized', {});
  let version = 0;
  const opened = new Set<string>();

  async function items(path: string, textWithCursor: string): Promise<Item[]> {
    const at = textWithCursor.indexOf(CURSOR);
    const text = textWithCursor.replace(CURSOR, '');
    const before = textWithCursor.slice(0, at).split('\n');
    const uri = pathToFileURL(join(root, path)).href;
    // What is proposed is explained for as long as the file is open.
    for (const open of opened)
      await connection.sendNotification('textDocument/didClose', { textDocument: { uri: open } });
    opened.clear();
    opened.add(uri);
    version += 1;
    await connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'typescript', version, text },
    });
    const answer = await connection.sendRequest<{ items: Item[] } | Item[] | null>(
      'textDocument/completion',
      {
        textDocument: { uri },
        position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
      },
    );
    return Array.isArray(answer) ? answer : (answer?.items ?? []);
  }

  return {
    async completions(path, text) {
      return (await items(path, text)).map((item) => ({
        label: item.label,
        documentation: documentationOf(item),
      }));
    },
    async documentation(path, text, label) {
      const item = (await items(path, text)).find((one) => one.label.replace('?', '') === label);
      if (item === undefined) throw new Error(`${label} is not proposed`);
      return documentationOf(await connection.sendRequest<Item>('completionItem/resolve', item));
    },
    async [Symbol.asyncDispose]() {
      await connection.sendRequest('shutdown');
      await connection.sendNotification('exit');
      connection.dispose();
      server.kill();
    },
  };
}

function documentationOf({ documentation = '' }: Item): string {
  return typeof documentation === 'string' ? documentation : documentation.value;
}
