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
    session_timeout_is_negotiated: 'a session timeout is kept within the bounds of the server',
    expired_session_is_replaced: 'a client hears that its session is lost, and gets a new one',
    lasting_watches_outlive_a_session: 'a watch of data and of children outlives the session',
    silent_session_expires: 'the session of a killed client expires at its time, an idle one not',
    reconnect_keeps_the_session: 'a client that connects again keeps session and ephemeral nodes',
    missed_events_are_made_up_for: 'a watch tells after a reconnect what has changed meanwhile',
    session_can_be_taken_over: 'a session can be taken over with its id and password',
    session_needs_its_password: 'a session cannot be taken over with a wrong password',
    four_letter_words: 'the client can ask four-letter words, and the version of the server',

    // nodes.py
    create_modes: 'a node is persistent or ephemeral, sequential or not',
    sequence_counts_creates: 'the numbers of sequential nodes count what was created',
    create_with_parents: 'missing parents are created on demand',
    create_with_stat: 'a create can return the stat of the new node',
    create_errors: 'a create that is not possible says why',
    missing_nodes: 'a request for a node that does not exist says so',
    set_with_versions: 'a set with a version changes that version only',
    delete_with_versions: 'a delete removes an empty node, and with a version only that version',
    stat_of_a_node: 'the stat tells when and how often a node and its children changed',
    children_with_stat: 'children can be listed with the stat of their parent',
    any_data_and_names: 'data may be any bytes or none, and names may have any letters',
    large_data: 'a node holds nearly 1 MB, and a larger request ends the connection only',
    pipelined_requests: 'hundreds of requests sent at once are answered in their order',
    sync_with_others: 'after a sync a client sees what others had written',
    chroot: 'a client with a chroot sees paths below it only',

    // watches.py
    one_shot_data_watches: 'a watch on a node tells of its creation, change or deletion, once',
    one_shot_child_watches: 'a watch on children tells of a new, a deleted and the last one, once',
    watches_of_failed_reads: 'only "exists" watches a node that does not exist',
    watches_of_several_sessions:
      'each session with a watch hears of a change, the changing one too',
    events_come_in_order: 'hundreds of events come in the order of the changes',
    data_watch_follows_a_node: 'a data watch follows a node through creation, change and deletion',
    data_watch_ends_on_false: 'a data watch ends when its function wants no more',
    children_watch_follows_a_directory:
      'a children watch follows a directory until it wants no more',

    // transactions.py
    transaction_commits: 'a transaction does all it has, as one change',
    transaction_rolls_back: 'a transaction with a check that fails changes nothing',
    transaction_sees_itself: 'an operation of a transaction sees the ones before it',
    transaction_errors: 'each operation of a transaction fails with its own error',
    transaction_wakes_watches: 'a transaction wakes the watches of all it changes',

    // acls.py
    digest_acl_refuses_others: 'an access list keeps others out until they have the password',
    permissions_one_by_one: 'each of the five permissions allows what it is for, and no more',
    acl_of_the_creator: 'an access list for the creator names all the creator is known as',
    set_acls_with_versions: 'an access list has a version of its own',
    invalid_acls: 'an access list that makes no sense is refused',
    transactions_respect_acls: 'a transaction may not do what its operations may not do',
    credentials_outlive_a_connection: 'a client is known by its credentials on its next connection',
    unknown_auth_scheme: 'credentials of an unknown scheme end the session of the client',

    // locks.py
    lock_excludes: 'a lock lets one client in at a time',
    lock_is_granted_in_order: 'a lock is granted in the order of the contenders',
    lock_can_be_cancelled: 'waiting for a lock can be cancelled',
    lock_can_time_out: 'waiting for a lock can time out',
    lock_passes_on_when_its_session_ends: 'a lock passes on when its session is closed or expires',
    read_write_lock: 'readers share a lock, a writer has it alone, and each waits its turn',
    write_lock_excludes: 'a write lock lets one client in at a time',
    semaphore_limits_holders: 'a semaphore has as many holders as leases, and never more',
    semaphore_has_one_size: 'a semaphore has one size for all, and gets back a lost lease',
    election_has_one_leader: 'an election has one leader at a time, in the order of candidates',

    // queues.py
    queue_is_in_order: 'a queue gives out entries by priority, then in their order',
    queue_shared_by_consumers: 'two consumers of a queue take each entry once',
    locking_queue_takes_each_once: 'two consumers of a locking queue take each entry once',
    locking_queue_gives_back: 'a locking queue gets back what was not consumed',
    locking_queue_puts_all_or_nothing: 'a locking queue takes many entries in one transaction',

    // recipes.py
    counter_counts: 'a counter counts what several clients add to it',
    barrier_holds_back: 'a barrier holds back until it is removed',
    double_barrier_waits_for_all: 'a double barrier lets all in together and out together',
    party_knows_its_members: 'a party knows its members, and forgets those whose session ends',
    shallow_party_knows_its_members: 'a shallow party has its members in the names of its nodes',
    lease_is_held_until_it_ends: 'a lease is held until it ends, even without its session',
    leases_for_several: 'of several leases there are as many holders',

    // caches.py
    tree_cache_follows_a_tree: 'a tree cache follows the changes of a whole tree',
    tree_cache_catches_up: 'a tree cache catches up after a reconnect, and goes on',
    set_is_partitioned: 'a set is divided among clients, and anew when one comes or goes',
  });
});
