import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import Database from 'libsql';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Connection = Database.Database;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS shelf (article TEXT PRIMARY KEY, count INTEGER NOT NULL);
`;

/** SQLite in a file: a temporary one for this application, or one that replicas share. */
@Injectable()
export class ShelfDatabase implements OnApplicationShutdown {
  readonly #ownFolder: string | undefined;
  readonly #file: string;
  /** For work outside of transactions. */
  readonly connection: Connection;

  constructor(file?: string) {
    if (file === undefined) this.#ownFolder = mkdtempSync(join(tmpdir(), 'warehouse-'));
    this.#file = file ?? join(this.#ownFolder ?? '', 'shelf.db');
    this.connection = this.connect();
    this.connection.exec(SCHEMA);
  }

  connect(): Connection {
    return new Database(this.#file);
  }

  commit(connection: Connection): Promise<void> {
    connection.exec('COMMIT');
    return Promise.resolve();
  }

  onApplicationShutdown(): void {
    this.connection.close();
    if (this.#ownFolder !== undefined) rmSync(this.#ownFolder, { recursive: true });
  }
}
