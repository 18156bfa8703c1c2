import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { ForeignClient } from '../support/foreign-client.js';
import { testForeignClient } from '../support/foreign-tests.js';

/** Debian's, which has kazoo from the package `python3-kazoo`; on the PATH may be another one. */
const PYTHON = '/usr/bin/python3';

const program = fileURLToPath(new URL('scenarios', import.meta.url));

describe('kazoo', () => {
  testForeignClient((...place) => new ForeignClient(PYTHON, '-B', program, ...place), {
    // sessions.py
    session_starts_and_stops: 'a session ends with its client, and its nodes before that is told',
    expired_session_is_replaced: 'a client hears that its session is lost, and gets a new one',
    silent_session_expires: 'the session of a killed client expires at its time, an idle one not',
    reconnect_keeps_the_session: 'a client that connects again keeps session and ephemeral nodes',
    four_letter_words: 'the client can ask four-letter words, and the version of the server',

    // nodes.py
    create_modes: 'a node is persistent or ephemeral, sequential or not',
    errors_are_told_apart: 'a request that is refused says why',
    any_data_and_names: 'data may be any bytes or none, and names may have any letters',
    large_data: 'a node holds nearly 1 MB, and a larger request ends the connection only',

    // watches.py
    watches_fire_once: 'a watch tells of a creation, a change, a child or a deletion, once',
    missed_events_are_made_up_for: 'a watch tells after a reconnect what has changed meanwhile',

    // transactions.py
    transaction_commits: 'a transaction does all it has, as one change',
    transaction_rolls_back: 'a transaction with a check that fails changes nothing',

    // acls.py
    acl_of_the_creator_refuses_others:
      'an access list keeps others out until they have the password',
    credentials_outlive_a_connection: 'a client is known by its credentials on its next connection',
    unknown_auth_scheme: 'credentials of an unknown scheme end the session of the client',
  });
});
