/**
 * Kills one server under many sessions again and again, and prints how long they took to be attached
 * to it again.
 *
 *   node bench/run.mjs reconnects
 */
import { Locks } from 'zk-locks';
import { waitFor } from '../test/support/wait-for.js';
import { ZooKeeperServer } from '../test/support/zookeeper-server.js';
import { percentileOf } from './measure/statistics.js';

const SESSIONS = 200;
const ROUNDS = 8;
const SESSION_TIMEOUT_MS = 10_000;
/** The time of a third of the session timeout and a pause. */
const TAIL_MS = 3_300;

/** A session with a lock, which makes the client keep the session as long as possible. */
async function open(servers: string, index: number) {
  const locks = new Locks({
    ...{ servers, sessionTimeoutMs: SESSION_TIMEOUT_MS, connectTimeoutMs: 60_000 },
  });
  await locks.start();
  const lock = await locks.acquire(`key-${index}`);
  let cutAt: number | undefined;
  let tookMs: number | undefined;
  locks.session.onState(({ name }) => {
    if (name === 'suspended') cutAt = performance.now();
    if (name === 'connected' && cutAt !== undefined) tookMs = performance.now() - cutAt;
  });
  return {
    begin: () => void (tookMs = undefined),
    tookMs: () => tookMs,
    isLost: () => lock.signal.aborted,
    close: () => locks.close(),
  };
}

const server = await ZooKeeperServer.start({ tickTimeMs: 2_000 });
const sessions = await Promise.all(
  Array.from({ length: SESSIONS }, (_, index) => open(server.connectString, index)),
);
const all: number[] = [];
for (let round = 1; round <= ROUNDS; round++) {
  for (const session of sessions) session.begin();
  await server.kill();
  server.launch();
  await waitFor(() => sessions.every((one) => one.tookMs() !== undefined), {
    what: 'all sessions to be attached again',
    timeoutMs: 60_000,
  });
  const times = sessions.map((one) => one.tookMs() ?? NaN);
  all.push(...times);
  print(`round ${round}`, times);
}
print('all rounds', all);
process.stdout.write(`${sessions.filter((one) => one.isLost()).length} sessions were lost.\n`);
await Promise.all(sessions.map((one) => one.close()));
await server.stop();

function print(what: string, times: readonly number[]): void {
  const at = (percent: number): string => `${Math.round(percentileOf(times, percent) ?? NaN)} ms`;
  const tail = times.filter((ms) => ms > TAIL_MS).length;
  process.stdout.write(
    `${what}: p50 ${at(50)}, p95 ${at(95)}, p99 ${at(99)}, longest ${at(100)}; ${tail} of ${times.length} took more than ${TAIL_MS} ms\n`,
  );
}
