import type {
  TransactionalAdapter,
  TransactionalOptionsAdapterFactory,
} from '@nestjs-cls/transactional';
import { type Connection, ShelfDatabase } from './shelf.database.js';

type Options = Record<string, never>;

/** Adapts `@Transactional()` to SQLite: each transaction has a connection of its own. */
export class SqliteAdapter implements TransactionalAdapter<ShelfDatabase, Connection, Options> {
  readonly connectionToken = ShelfDatabase;

  readonly optionsFactory: TransactionalOptionsAdapterFactory<ShelfDatabase, Connection, Options> =
    (database) => ({
      wrapWithTransaction: async (_, work, setTx) => {
        const connection = database.connect();
        try {
          connection.exec('BEGIN');
          setTx(connection);
          const result: unknown = await work();
          await database.commit(connection);
          return result;
        } finally {
          // Rolls back what is not committed.
          connection.close();
        }
      },
      getFallbackInstance: () => database.connection,
    });
}
