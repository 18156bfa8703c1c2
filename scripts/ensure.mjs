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
 * `--browser` Chromium, in which tests look at the lock board.
 * `--bench`   Redis, on which the benchmark runs redlock; no test needs them.
 *
 * Missing pieces are installed as root on Debian or Ubuntu; elsewhere one line says what to install,
 * and the exit code is 1.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const library = join(root, 'libs/nestjs-zk-lock/package.json');

class MissingError extends Error {}

function ensureNative() {
  if (nativeProblem() === undefined) return;
  const compiler = ['python3', 'make', 'g++'];
  const absent = compiler.filter((command) => !isOnPath(command));
  if (absent.length > 0) {
    if (!canInstall()) {
      throw new MissingError(
        `The native module "zookeeper" must be compiled: install ${absent.join(', ')}.`,
      );
    }
    aptInstall(compiler);
  }
  say('compiling the native module "zookeeper" (about 10 s)');
  const command = ['rebuild', 'zookeeper'];
  const output = npm(command);
  const problem = nativeProblem();
  if (problem !== undefined) {
    process.stderr.write(output);
    throw new MissingError(
      `The native module "zookeeper" does not load (${problem}): see the output of "npm ${command.join(' ')}" above.`,
    );
  }
}

/** All that is missing in one go: what takes long is that apt-get updates its lists. */
function ensurePackages(wanted) {
  const server = wanted.has('--server') ? missingForServer() : [];
  const interop = wanted.has('--interop') ? missingForInterop() : [];
  const tls = wanted.has('--tls') && !isOnPath('stunnel') ? ['stunnel4'] : [];
  const browser = wanted.has('--browser') && !isOnPath('chromium') ? ['chromium'] : [];
  const bench = wanted.has('--bench') && !isOnPath('redis-server') ? ['redis-server'] : [];
  const missing = [...server, ...interop, ...tls, ...browser, ...bench];
  if (missing.length === 0) return;
  if (canInstall()) {
    aptInstall(missing);
    return;
  }
  const lines = [];
  if (server.length > 0) {
    lines.push(
      `Tests run a real Apache ZooKeeper: install ${server.join(' and ')} (Debian: apt-get install ${server.join(' ')}), or set ZOOKEEPER_HOME to an unpacked release and put java on the PATH.`,
    );
  }
  if (interop.length > 0) {
    lines.push(
      `Tests run Debian's kazoo and Curator as foreign clients: apt-get install ${interop.join(' ')}.`,
    );
  }
  if (tls.length > 0) {
    lines.push('Tests connect by TLS through stunnel: apt-get install stunnel4.');
  }
  if (browser.length > 0) {
    lines.push(
      'Tests look at the lock board in a browser: install chromium, so that it is on the PATH.',
    );
  }
  if (bench.length > 0) {
    lines.push(`The benchmark runs redlock on Redis: apt-get install ${bench.join(' ')}.`);
  }
  throw new MissingError(lines.join(' '));
}

function missingForServer() {
  const missing = [];
  if (!hasServerJars()) missing.push('zookeeper');
  // For servers and processes whose clocks are wrong.
  if (!isOnPath('faketime')) missing.push('faketime');
  if (!isOnPath('java')) missing.push('default-jre-headless');
  return missing;
}

function missingForInterop() {
  const missing = [];
  // Asking Python itself would take longer than all else here.
  if (!existsSync('/usr/lib/python3/dist-packages/kazoo')) missing.push('python3-kazoo');
  if (!existsSync('/usr/share/java/curator-recipes.jar')) missing.push('libcurator-recipes-java');
  if (!isOnPath('javac')) missing.push('default-jdk-headless');
  return missing;
}

/** Why npm `zookeeper` does not load, in a process of its own: a failed load stays cached. */
function nativeProblem() {
  const load = `require('node:module').createRequire(${JSON.stringify(library)})('zookeeper')`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', load], { encoding: 'utf8' });
  if (status === 0) return undefined;
  return /^\w*Error: (.*)$/m.exec(stderr)?.[1] ?? `exit code ${status}`;
}

function hasServerJars() {
  const home = process.env.ZOOKEEPER_HOME;
  return existsSync(home ? join(home, 'lib') : '/usr/share/java/zookeeper.jar');
}

function isOnPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function canInstall() {
  return process.getuid?.() === 0 && isOnPath('apt-get');
}

function aptInstall(packages) {
  say(`installing ${packages.join(', ')} with apt-get`);
  const lock = ['-o', 'DPkg::Lock::Timeout=300'];
  run('apt-get', [...lock, 'update', '-qq']);
  run('apt-get', [...lock, 'install', '-y', '-qq', '--no-install-recommends', ...packages]);
}

function npm(args) {
  const npmCli = process.env.npm_execpath;
  const env = { ...process.env };
  // Headers that came with Node save node-gyp a download.
  const prefix = dirname(dirname(process.execPath));
  if (existsSync(join(prefix, 'include/node/node_api.h'))) env.npm_config_nodedir ??= prefix;
  return npmCli
    ? run(process.execPath, [npmCli, ...args], env)
    : run('npm', args, env, process.platform === 'win32');
}

function run(command, args, env = process.env, shell = false) {
  const result = spawnSync(command, args, {
    cwd: root,
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
    shell,
  });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}`;
  if (result.status === 0) return output;
  process.stderr.write(output);
  throw new MissingError(
    `"${[command, ...args].join(' ')}" failed${result.error ? `: ${result.error.message}` : ' (see above)'}.`,
  );
}

function say(message) {
  process.stderr.write(`ensure: ${message}\n`);
}

try {
  const wanted = new Set(process.argv.slice(2));
  if (wanted.has('--native')) ensureNative();
  ensurePackages(wanted);
} catch (error) {
  if (!(error instanceof MissingError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
