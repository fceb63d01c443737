import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Storage, TABLES, type Table, type TableName } from './storage.ts';

/** Grows when what is stored changes its shape; a file of another version is refused. */
const VERSION = 2;

/** The file cannot be used; the message says why and what to do. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/**
 * Opens the database file, or makes it. Each thing is one row of JSON, so the file can be read with any SQLite
 * tool. Writes survive the end of this process, however it ends (write-ahead log).
 *
 * @throws StorageError when the file is in use, is no database, or was written by another version
 */
export function sqliteStorage(file: string): Storage {
  const database = open(file);
  const insert = new Map<TableName, StatementSync>();
  const remove = new Map<TableName, StatementSync>();
  for (const name of TABLES) {
    insert.set(
      name,
      database.prepare(
        `INSERT INTO ${name} (id, value) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
      ),
    );
    remove.set(name, database.prepare(`DELETE FROM ${name} WHERE id = ?`));
  }
  let depth = 0;

  const atomically = <R>(work: () => R): R => {
    if (depth > 0) return work();
    database.exec('BEGIN');
    depth += 1;
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    } finally {
      depth -= 1;
    }
  };

  return {
    table: <T>(name: TableName): Table<T> => ({
      all: () =>
        database
          .prepare(`SELECT value FROM ${name} ORDER BY rowid`)
          .all()
          .map((row) => JSON.parse(String(row['value'])) as T), // written by `put` below
      put: (id, value) => void insert.get(name)?.run(id, JSON.stringify(value)),
      remove: (id) => void remove.get(name)?.run(id),
    }),
    atomically,
    clear: () => atomically(() => TABLES.forEach((name) => database.exec(`DELETE FROM ${name}`))),
    close: () => database.close(),
  };
}

function open(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version !== 0 && version !== VERSION) {
      throw new StorageError(
        `${file} was written by another version of the emulator; use another file or delete it`,
      );
    }
    for (const name of TABLES) {
      database.exec(`CREATE TABLE IF NOT EXISTS ${name} (id TEXT NOT NULL UNIQUE, value TEXT NOT NULL)`);
    }
    database.exec(`PRAGMA user_version = ${VERSION}`);
    return database;
  } catch (error) {
    if (error instanceof StorageError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const why = message.includes('locked') ? 'another process (a second emulator?) uses it' : message;
    throw new StorageError(`The database file ${file} cannot be used: ${why}`, { cause: error });
  }
}
