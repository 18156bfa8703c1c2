import type { Violation } from '../../soak/history/history.js';
import { isLockNode } from '../../soak/stage/lock-node.js';
import { checkStory, historyOf } from '../checks/checks.js';
import { checkLeftovers, connectionsLeft } from '../checks/leftovers.js';
import { lateWatches } from '../checks/stage-users.js';
import type { Plan } from '../plan/plan.js';
import { Stage } from './stage.js';

/** The result of a story. */
export interface Outcome {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Equal for two plays of the same plan. */
  readonly digest: string;
  readonly grants: number;
  readonly losses: number;
  /** Grants to jobs that run at most once in a period. */
  readonly runs: number;
  /** Grants to processes of other libraries. */
  readonly foreign: number;
  readonly calls: number;
  readonly faults: number;
  /** The number of snapshots that servers received from their leader. */
  readonly snapshots: number;
  readonly events: number;
  /** Simulated time. */
  readonly seconds: number;
  /** The log, if it was to be kept. */
  readonly lines: readonly string[];
  /** The log as sentences, for a person who investigates a violation. */
  readonly story: readonly string[];
}

/** Time for elections and for servers to start, in milliseconds. */
const RECOVERY_MS = 15_000;
const STEP_MS = 50;

/** Plays a plan, waits until everything has come to rest, and checks what has happened. */
export function play(plan: Plan, { keepsLog = false } = {}): Outcome {
  const stage = new Stage(plan, keepsLog);
  const { world, operator } = stage;
  const onRejection = (error: unknown): void => {
    stage.report('errors', `a promise was rejected, and nothing caught it: ${String(error)}`);
  };
  process.on('unhandledRejection', onRejection);
  until(
    stage,
    () => operator.hasBegun,
    RECOVERY_MS,
    'liveness',
    () => 'the servers do not serve',
  );
  stage.startProcesses();
  const { replicas, contenders } = stage;
  for (const fault of plan.faults) world.after(fault.at, () => stage.inflict(fault));
  world.runUntil(world.now + plan.workMs);
  stage.healAll();
  const contending = () => [...replicas.map(({ current }) => current), ...contenders];
  for (const one of contending()) one.pause();
  const longest = stage.longestSessionMs + longestKeptMs(plan);
  const limitMs = 2 * (longest + plan.servers.tickTimeMs) + RECOVERY_MS;
  const isIdle = (): boolean => contending().every((one) => one.isIdle);
  until(
    stage,
    isIdle,
    limitMs,
    'liveness',
    () => `calls still wait ${limitMs} ms after the last fault: ${nodesLeft(stage)}`,
  );
  until(
    stage,
    () => nodesLeft(stage) === '',
    limitMs,
    'nothing left',
    () => `the servers still have ${nodesLeft(stage)}`,
  );
  until(
    stage,
    () => lateWatches(stage).length === 0,
    limitMs,
    'watches',
    () => lateWatches(stage)[0]?.message ?? '',
  );
  const history = historyOf(stage);
  for (const { current } of replicas) current.stopWatches();
  until(
    stage,
    () => stage.servers.view.watches === 0,
    limitMs,
    'nothing left',
    () => `the servers still have ${stage.servers.view.watches} watches`,
  );
  for (const { current } of replicas) current.close();
  operator.close();
  const hasClosed = (): boolean =>
    operator.hasClosed && replicas.every(({ current }) => current.hasClosed);
  until(stage, hasClosed, limitMs, 'nothing left', () => 'not all processes could close');
  const hasNoSession = (): boolean => stage.servers.view.sessions.length === 0;
  until(stage, hasNoSession, 2 * limitMs, 'nothing left', () => 'the servers still have sessions');
  const hasNoConnection = (): boolean => connectionsLeft(stage) === '';
  until(stage, hasNoConnection, limitMs, 'nothing left', () => connectionsLeft(stage));
  checkLeftovers(stage);
  process.off('unhandledRejection', onRejection);
  const violations = checkStory(stage, history);
  return {
    ...{ seed: plan.seed, violations },
    digest: world.digest,
    grants: history.grants.length,
    losses: history.grants.filter(({ told }) => told).length,
    runs: history.grants.filter(({ run }) => run).length,
    foreign: history.grants.filter(({ process: own }) =>
      contenders.some(({ name }) => name === own),
    ).length,
    calls: stage.ledger.attempts.length,
    faults: plan.faults.length,
    snapshots: stage.servers.members.reduce((sum, { snapshots }) => sum + snapshots, 0),
    events: world.events,
    seconds: world.now / 1_000,
    lines: world.lines,
    story: stage.chronicle?.story(violations, world.lines) ?? [],
  };
}

function until(
  stage: Stage,
  isTrue: () => boolean,
  withinMs: number,
  promise: string,
  describe: () => string,
): void {
  const { world } = stage;
  const deadline = world.now + withinMs;
  while (!isTrue() && world.now < deadline) world.runUntil(world.now + STEP_MS);
  if (!isTrue()) stage.report(promise, describe());
}

function longestKeptMs({ replicas }: Plan): number {
  const keptMs = replicas.map(({ options: { cohort } }) =>
    typeof cohort === 'object' ? (cohort.keepMs ?? 0) : 0,
  );
  return Math.max(...keptMs);
}

function nodesLeft({ servers }: Stage): string {
  const paths = Array.from(servers.view.below('/locks'), ({ path }) => path);
  return paths.filter(isLockNode).join(', ');
}
