import { afterAll, beforeAll, describe } from 'vitest';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { testForeignClient } from '../support/foreign-tests.js';
import { compileCuratorDriver, startCuratorDriver } from './curator-driver.js';

describe('Curator', () => {
  const classes = makeTempDir('curator-driver');
  beforeAll(() => compileCuratorDriver(classes));
  afterAll(() => removeTempDir(classes));

  const scenarios = {
    // Sessions.java
    closed_session_leaves_nothing: 'a closed client leaves none of its ephemeral nodes',
    expired_session_is_replaced: 'a client hears that its session is lost, and gets a new one',
    reconnect_keeps_the_session: 'a client that connects again keeps session and ephemeral nodes',
    session_needs_its_password: 'a session cannot be taken over with a wrong password',

    // Nodes.java
    create_modes: 'a node is persistent or ephemeral, sequential or not',
    parents_are_persistent: 'missing parents are created, and a tree is deleted, on demand',
    parent_containers_go_when_empty: 'a container goes by itself when its last child is gone',
    ttl_nodes_go_by_themselves: 'a node with a time to live goes by itself, unless it has children',
    create_can_return_the_stat: 'a create of each kind can return the stat of the new node',
    versions_guard_changes: 'a version guards a set and a delete',
    protected_create_outlives_a_lost_answer:
      'a protected create whose answer was lost is found again',
    guaranteed_delete_is_made_up_for: 'a guaranteed delete is made up for after a reconnect',
    background_requests_are_answered_in_order:
      'hundreds of background requests are answered in order',
    namespace_is_a_root: 'a client with a namespace or a chroot sees paths below it only',

    // Transactions.java
    transaction_does_all: 'a transaction does all it has, as one change',
    transaction_does_nothing_when_one_fails: 'a transaction with one failure changes nothing',
    transaction_creates_all_kinds: 'a transaction creates nodes of all kinds',
    old_transactions_work_too: 'the older interface of transactions works too',
    large_transaction: 'a transaction of hundreds of operations works',

    // Acls.java
    acl_of_the_creator_refuses_others:
      'an access list keeps others out, and in who has the password',
    acl_can_be_changed: 'an access list can be changed, also so that nobody can change it again',
    credentials_outlive_a_connection:
      'a client is known on its next connection and in its next session',

    // Watchers.java
    watches_fire_once: 'a watch tells of one event, and no other',
    persistent_watch_fires_again:
      'a persistent watch tells of each event of its node and its children',
    recursive_watch_sees_the_tree: 'a recursive watch tells of each node of its tree',
    watches_can_be_removed: 'watches can be removed by their kind, and say so',
    missed_events_come_after_a_reconnect:
      'a watch tells after a reconnect what has changed meanwhile',
    persistent_watches_outlive_a_connection:
      'a persistent watch is in place again after a reconnect',
    persistent_watcher_outlives_a_session:
      'a persistent watcher is in place again in a new session',

    // Locks.java
    mutex_excludes: 'a mutex lets one thread of one client in at a time',
    mutex_is_reentrant: 'a mutex can be taken again by its thread, and by nobody else',
    mutex_is_granted_in_order: 'a mutex is granted in the order of the contenders',
    mutex_can_time_out: 'waiting for a mutex can time out',
    mutex_can_be_revoked: 'the holder of a mutex can be asked to release it',
    mutex_passes_on_when_its_session_ends:
      'a mutex passes on when its session is closed or expires',
    semaphore_mutex_excludes: 'a semaphore mutex lets one in at a time',
    semaphore_mutex_is_not_reentrant: 'a semaphore mutex cannot be taken again by its thread',
    multi_lock_takes_all_or_nothing: 'a multi lock takes all of its locks or none',

    // ReadWriteLocks.java
    readers_share_and_writers_do_not: 'readers share a lock, a writer has it alone, in their order',
    writer_may_become_a_reader: 'a writer may become a reader, and a reader not a writer',
    writers_exclude_under_contention: 'writers exclude each other and readers under contention',

    // Semaphores.java
    semaphore_limits_leases: 'a semaphore never has more holders than leases',
    semaphore_gets_leases_back: 'a semaphore gets leases back, also those of a closed session',
    semaphore_has_a_shared_size: 'a semaphore grows with the count that all share',

    // Leaders.java
    leader_latch_has_one_leader:
      'a leader latch has one leader, who hears that a lost session ended it',
    leader_selector_has_one_leader: 'a leader selector has one leader at a time, and each in turn',
    leadership_can_be_interrupted: 'a leader can be interrupted, and the next one leads',

    // Counters.java
    shared_count_is_seen_by_all: 'a shared count is seen by all, and set by who has seen it',
    atomic_long_counts: 'a distributed number counts what several clients add to it',

    // Barriers.java
    barrier_holds_back: 'a barrier holds back until it is removed',
    double_barrier_waits_for_all: 'a double barrier lets all in together and out together',

    // Caches.java
    curator_cache_follows_a_tree: 'a Curator cache follows the changes of a whole tree',
    curator_cache_catches_up: 'a Curator cache catches up after a reconnect and in a new session',
    node_cache_follows_a_node: 'a node cache follows a node through creation, change and deletion',
    path_children_cache_follows_children: 'a path children cache follows the children of a node',
    tree_cache_follows_a_tree: 'a tree cache follows a tree, also over a reconnect',

    // PersistentNodes.java
    persistent_node_comes_back: 'a persistent node comes back when deleted, and in a new session',
    persistent_ttl_node_lives_while_touched:
      'a persistent node with a time to live goes with its keeper',
    group_members_know_each_other: 'members of a group know each other and their data',

    // Queues.java
    queue_is_in_order: 'a queue gives out items in their order',
    queue_gives_each_to_one_consumer: 'two consumers of a queue take each item once',
    priority_queue_prefers: 'a priority queue gives out items by priority, then in their order',
    delay_queue_waits: 'a delay queue gives out items when it is time',
    simple_queue_can_be_waited_for: 'a simple queue can be peeked at, polled and waited for',

    // PlainClient.java
    several_reads_in_one_request: 'several reads in one request fail on their own',
    ephemerals_and_descendants_are_counted:
      'a client can list its ephemeral nodes and count a tree',
    client_knows_who_it_is: 'a client can ask as whom it is known',
  };
  testForeignClient((...place) => startCuratorDriver(classes, ...place), scenarios, {
    processes: 2,
  });
});
