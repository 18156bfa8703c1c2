import { czxidOf, MAX_GRANTS } from '../../../libs/zk-locks/src/nodes/fencing-token.js';
import { check } from '../../soak/checks/check.js';
import { describe } from '../../soak/checks/interference.js';
import { isUnder } from '../../soak/history/lock-node.js';
import type { Deletion, Grant, History, Violation, Write } from '../../soak/history/history.js';
import { readEntries } from '../../soak/history/read-journal.js';
import { POOL } from '../../workers/soak/protocol.js';
import { GUARDED } from '../story/scene.js';
import type { Silence, Stage } from '../story/stage.js';
import { checkRequests } from './requests.js';
import { checkLateWrites, type GuardedWrite, guardedWritesOf } from './late-writes.js';
import { userHistoryOf } from './stage-users.js';
import { checkUsers } from './users.js';

/** A node has 1,024 tokens, the first of which is used without a handover. */
const MOST_HANDOVERS = 1_023;
/** How much longer than its timeout a wait may take: the time of a round trip on a slow network. */
const LATE_MS = 2_000;

/** How long the first turn takes of a process that resumes after a stall. */
const WAKING_MS = 1;

/** The history of a story that has come to rest. */
export function historyOf(stage: Stage): History {
  const replicas = stage.replicas.flatMap(({ current, past }) => [...past, current]);
  const processes = [...replicas, ...stage.contenders];
  const parts = processes.map(({ name, journal }) => readEntries(name, journal.entries));
  return {
    grants: parts.flatMap(({ grants }) => grants).map((grant) => withCreation(grant, stage)),
    waits: parts.flatMap(({ waits }) => waits),
    refusals: parts.flatMap(({ refusals }) => refusals),
    stalls: processes.flatMap(({ name, process: { stalls } }) =>
      stalls.map(({ from, at }) => ({ process: name, from, at: at + WAKING_MS })),
    ),
    // If the process is also cut off at that time, its lease still ends in time and reports the
    // loss.
    clockChanges: parts.flatMap(({ clockChanges }) =>
      clockChanges.map((change) => ({ ...change, uncertainMs: 2 * stage.longestSessionMs })),
    ),
    errors: parts.flatMap(({ errors }) => errors),
    writes: [...stage.resource.writes, ...guardedWritesOf(stage).map(inOrder)],
    deletions: stage.operator.deletions.map((deletion) => unheard(deletion, stage)),
    clearings: stage.operator.clearings,
    breaks: stage.operator.breaks,
    deaths: stage.deaths,
  };
}

/** Adds the time of creation to the grants of runs, because a run's period begins with it. */
function withCreation(grant: Grant, { witness }: Stage): Grant {
  const { run, token } = grant;
  if (!run || token === undefined) return grant;
  return { ...grant, createdAt: witness.writtenAt(czxidOf(token)) };
}

export function checkStory(stage: Stage, history: History): Violation[] {
  const { replicas } = stage.plan;
  const handovers = new Map(
    replicas.map(({ name, options: { cohort } }) => {
      const { maxHandovers = 0, keepMs = 0 } = typeof cohort === 'object' ? cohort : {};
      return [name, keepMs > 0 ? MOST_HANDOVERS : maxHandovers];
    }),
  );
  const lateMs = LATE_MS + stage.longestSessionMs;
  return [
    ...check(history, new Map(), {
      permits: POOL.permits,
      lateMs,
      handovers,
    }),
    ...checkUsers(userHistoryOf(stage), lateMs),
    ...grantedFromMemory(history, stage),
    ...checkLateWrites(history, guardedWritesOf(stage)),
    ...brokenByMistake(history, stage),
    ...checkRequests(history, (process) => (handovers.get(process.replace(/\.\d+$/, '')) ?? 0) > 0),
    ...stage.reported,
  ];
}

/**
 * Maximum age of the news on which a process grants a lock without a request: docs/decisions/0025.
 */
const NEWS_MS = 900;

/**
 * A node was deleted, and its process then granted the lock under it to another call from memory.
 */
function grantedFromMemory({ grants }: History, { operator: { takings } }: Stage): Violation[] {
  return takings.flatMap(({ key, node, answeredAt, isBreak }) =>
    grants
      .filter((grant) => grant.key === key && node?.isShared && isUnder(node, grant))
      // A call that replaced another call of its process may enter long after its grant.
      .filter(({ queued, token = 0n }) => queued && token % BigInt(MAX_GRANTS) > 0n)
      .filter(({ enteredAt }) => enteredAt > answeredAt + (isBreak ? 0 : NEWS_MS))
      .map((grant) => ({
        promise: 'fresh news',
        message: `${describe(grant)} entered ${(grant.enteredAt - answeredAt).toFixed(0)} ms after its node had been taken away`,
      })),
  );
}

/** A lock was reported as broken although no operator had named its holder. */
function brokenByMistake({ grants }: History, { operator: { named } }: Stage): Violation[] {
  const isNamed = (grant: Grant): boolean =>
    named.some(({ key, node }) => key === grant.key && isUnder(node, grant));
  return grants
    .filter((grant) => grant.told?.reason === 'broken' && !isNamed(grant))
    .map((grant) => ({
      promise: 'breaking',
      message: `${describe(grant)} was broken, which no operator had named`,
    }));
}

/**
 * When an operator deletes the node of a process that is stopped or cut off, nothing is promised
 * until the process learns of it or its lease is over.
 */
function unheard(deletion: Deletion, stage: Stage): Deletion {
  const { replica, answeredAt = deletion.at } = deletion;
  const silences = [...stage.silences, ...stallsIn(stage)]
    .filter(
      ({ process = '' }) =>
        replica === undefined || process === '' || process.startsWith(`${replica}.`),
    )
    .toSorted((one, other) => one.from - other.from);
  let heardAt = answeredAt;
  // A silence may begin before the previous one has ended.
  for (const { from, until } of silences) {
    if (from <= heardAt && until >= deletion.at) heardAt = Math.max(heardAt, until);
  }
  return heardAt > answeredAt ? { ...deletion, answeredAt: heardAt, isSilent: true } : deletion;
}

function stallsIn({ replicas }: Stage): Silence[] {
  const processes = replicas.flatMap(({ current, past }) => [...past, current]);
  return processes.flatMap(({ name, process: { stalls } }) =>
    stalls.map(({ from, at }) => ({ process: name, from, until: at })),
  );
}

/** Uses the node's number as the time: ZooKeeper assigns these in the order of its writes. */
function inOrder({ key, token, number }: GuardedWrite): Write {
  return { process: 'a holder', key: `${GUARDED}/${key}`, token, accepted: true, at: number };
}
