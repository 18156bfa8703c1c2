import { describe, expect, it } from 'vitest';
import { Database } from './database.js';
import { UNOWNED } from './tree/node-owner.js';

function create(database: Database, path: string, sessionId?: bigint): void {
  const owner = sessionId === undefined ? UNOWNED : { kind: 'session' as const, sessionId };
  const data = Buffer.from(path);
  database.transact((transaction) =>
    database.tree.create(transaction, { path, data, acl: [], owner }),
  );
}

describe('a copy', () => {
  it('does not see later changes of its original, nor vice versa', () => {
    const database = Database.empty(2_000);
    const session = database.sessions.open(4_000, 0);
    create(database, '/a');
    const copy = database.copy();
    create(database, '/a/b', session.id);
    database.transact((transaction) =>
      database.tree.setData(transaction, database.tree.get('/a'), null, 1),
    );
    database.sessions.touch(session, 60_000);
    create(copy, '/c');
    expect([...copy.tree.get('/a').children]).toEqual([]);
    expect(copy.tree.get('/a').version).toBe(0);
    expect(copy.tree.ephemeralsOf(session.id)).toEqual([]);
    expect(copy.sessions.find(session.id)?.expiresAt).toBe(6_000);
    expect(database.tree.find('/c')).toBeUndefined();
    expect(database.lastZxid).toBe(3n);
    expect(copy.lastZxid).toBe(2n);
  });
});

it('the next transaction follows the zxid that was given, at the time that was given', () => {
  const database = Database.empty(2_000);
  database.continueAfter((7n << 32n) + 4n, 1_000);
  create(database, '/a');
  expect(database.tree.get('/a')).toMatchObject({ czxid: (7n << 32n) + 5n, ctime: 1_000 });
});
