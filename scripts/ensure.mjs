/**
 * Ensures that the software that npm cannot install is present, and prints nothing if it is.
 *
 *   node scripts/ensure.mjs --native --server --interop --tls --browser --bench
 *
 * `--native`  npm `zookeeper`, which has no Linux prebuilds: `npm ci` compiles it, and this does after an
 *             `npm ci --ignore-scripts`, for which no compiler is needed.
 * `--server`  Apache ZooKeeper and a Java runtime, for the tests.
 * `--interop` Other clients, for the tests that use them with our server: kazoo for Debian's Python, and
 *             Curator with a Java compiler.
 * `--tls`     stunnel, which the tests put in front of a server as the documentation describes.
 * `--browser` Chromium, in which tests open the lock board and the demo.
 * `--bench`   Redis, with which the benchmark runs redlock. No test needs it.
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
