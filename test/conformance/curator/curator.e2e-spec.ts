import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import { compileWithCurator, curatorArguments } from '../../support/curator-java.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { ForeignClient } from '../support/foreign-client.js';
import { testForeignClient } from '../support/foreign-tests.js';

const folder = fileURLToPath(new URL('driver', import.meta.url));
const sources = readdirSync(folder).map((name) => join(folder, name));

describe('Curator', () => {
  const classes = makeTempDir('curator-driver');
  beforeAll(() => compileWithCurator(classes, sources));
  afterAll(() => removeTempDir(classes));

  const scenarios = {
    // Sessions.java
    expired_session_is_replaced: 'a client hears that its session is lost, and gets a new one',
    reconnect_keeps_the_session: 'a client that connects again keeps session and ephemeral nodes',
    session_needs_its_password: 'a session cannot be taken over with a wrong password',

    // Nodes.java
    create_returns_path_and_stat: 'a create of each kind returns the path and stat of the new node',
    parents_are_created_and_trees_deleted: 'missing parents are created, and a tree is deleted',
    versions_guard_changes: 'a version guards a set and a delete',
    protected_create_outlives_a_lost_answer:
      'a protected create whose answer was lost is found again',

    // Transactions.java
    transaction_does_all: 'a transaction does all it has, as one change',
    transaction_does_nothing_when_one_fails: 'a transaction with one failure changes nothing',

    // Acls.java
    acl_of_the_creator_refuses_others: 'an access list keeps others out until it is changed',
    credentials_outlive_a_connection:
      'a client is known on its next connection and in its next session',

    // Watchers.java
    recursive_watch_sees_the_tree: 'a recursive watch tells of each node of its tree',
    watches_can_be_removed: 'watches can be removed by their kind, and say so',
    missed_events_come_after_a_reconnect:
      'a watch tells after a reconnect what has changed meanwhile',
    persistent_watches_outlive_a_connection:
      'a persistent watch is in place again after a reconnect',

    // PlainClient.java
    several_reads_in_one_request: 'several reads in one request fail on their own',
    ephemerals_and_descendants_are_counted:
      'a client can list its ephemeral nodes and count a tree',
    client_knows_who_it_is: 'a client can ask as whom it is known',
  };
  const driver = curatorArguments(classes, 'Driver');
  testForeignClient((...place) => new ForeignClient('java', ...driver, ...place), scenarios);
});
