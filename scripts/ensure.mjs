/**
 * Makes sure that what npm cannot install is there, and says nothing when it is.
 *
 *   node scripts/ensure.mjs --native --server --interop --tls --browser --bench
 *
 * `--native`  npm `zookeeper`, which has no Linux prebuilds: `npm ci` compiles it, and this does after an
 *             `npm ci --ignore-scripts`, for which no compiler is needed.
 * `--server`  Apache ZooKeeper and a Java runtime, for the tests.
 * `--interop` Clients that are not ours, kazoo for Debian's Python and Curator with a Java compiler,
 *             for the tests that let them work on our server.
 * `--tls`     stunnel, which the tests put before a server as the documentation says.
 * `--browser` Chromium, in which tests look at the lock board and the demo.
 * `--bench`   Redis, on which the benchmark runs redlock; no test needs them.
 *
 * Missing pieces are installed as root on Debian or Ubuntu; elsewhere one line says what to install,
 * and the exit code is 1.
 */
import { ensure, say } from './ensure/ensure.mjs';

const missing = ensure(process.argv.slice(2).map((flag) => flag.replace(/^--/, '')));
if (missing.size > 0) {
  say([...missing.values()].join(' '));
  process.exitCode = 1;
}
