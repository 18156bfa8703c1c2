/** Looks for software that npm cannot install, and installs it if possible. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
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

const list = (packages) => packages.join(' and ');

/** The Debian packages of each part, and the message if they cannot be installed. */
const PARTS = {
  server: {
    packages: missingForServer,
    advice: (packages) =>
      `Tests run a real Apache ZooKeeper: install ${list(packages)} (Debian: apt-get install ${packages.join(' ')}), or set ZOOKEEPER_HOME to an unpacked release and put java on the PATH.`,
  },
  interop: {
    packages: missingForInterop,
    advice: (packages) =>
      `Tests run Debian's kazoo and Curator as foreign clients: apt-get install ${packages.join(' ')}.`,
  },
  tls: {
    packages: () => (isOnPath('stunnel') ? [] : ['stunnel4']),
    advice: () => 'Tests connect by TLS through stunnel: apt-get install stunnel4.',
  },
  browser: {
    packages: () =>
      isOnPath('chromium-headless-shell') || isOnPath('chromium')
        ? []
        : ['chromium-headless-shell'],
    advice: () =>
      'Tests look at the lock board in a browser: install chromium-headless-shell or chromium, so that it is on the PATH.',
  },
  bench: {
    packages: () => (isOnPath('redis-server') ? [] : ['redis-server']),
    advice: (packages) =>
      `The benchmark runs redlock on Redis: apt-get install ${packages.join(' ')}.`,
  },
};

/**
 * Installs what is missing, if possible.
 *
 * @param parts `native`, and names of {@link PARTS}
 * @returns how to install each part that is still missing, by its name
 */
export function ensure(parts) {
  const missing = new Map();
  const attempt = (names, install) => {
    try {
      install();
    } catch (error) {
      if (!(error instanceof MissingError)) throw error;
      for (const name of names) missing.set(name, error.message);
    }
  };
  if (parts.includes('native')) attempt(['native'], ensureNative);
  const wanted = Object.entries(PARTS)
    .filter(([name]) => parts.includes(name))
    .map(([name, { packages, advice }]) => ({ name, packages: packages(), advice }))
    .filter(({ packages }) => packages.length > 0);
  if (wanted.length > 0 && canInstall()) {
    // All at once, because updating apt-get's lists takes most of the time.
    const names = wanted.map(({ name }) => name);
    attempt(names, () => aptInstall(wanted.flatMap(({ packages }) => packages)));
  } else {
    for (const { name, packages, advice } of wanted) missing.set(name, advice(packages));
  }
  return missing;
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
  // Asking Python itself would take longer than everything else here.
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

export function say(message) {
  process.stderr.write(`ensure: ${message}\n`);
}
