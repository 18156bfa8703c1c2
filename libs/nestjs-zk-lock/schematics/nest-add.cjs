/**
 * `nest add nestjs-zk-lock`: imports ZkLockModule in the root module, enables the shutdown hooks in
 * main.ts, and gives the end-to-end test that `nest new` has made a ZooKeeper of its own. What is there
 * already stays, and what does not look as `nest new` makes it is left to the user, who is told what to do.
 */
'use strict';

const { posix } = require('node:path');
const { version } = require('../package.json');

module.exports.default = (options) => (tree, context) => {
  const { sourceRoot } = options;
  edit(rootModuleOf(textOf(pathOf('main.ts'))), addModule);
  edit('main.ts', enableShutdownHooks);
  const test = '../test/app.e2e-spec.ts';
  if (tree.exists(pathOf(test)) && edit(test, embedZooKeeper)) addZkEmbedded(tree, context);
  return tree;

  /** @returns whether the file was changed */
  function edit(name, change) {
    const path = pathOf(name);
    const before = textOf(path);
    const { after, byHand } = change(before, options);
    if (after === undefined) {
      context.logger.warn(`${path} was not changed. Do this by hand:\n\n${byHand}\n`);
    } else if (after !== before) {
      tree.overwrite(path, before.includes('\r\n') ? after.replace(/\r?\n/g, '\r\n') : after);
      return true;
    }
    return false;
  }

  function textOf(path) {
    return tree.exists(path) ? tree.readText(path) : undefined;
  }

  function pathOf(name) {
    return posix.join(sourceRoot, name);
  }
};

// Each change takes a file's text, or undefined, and returns what it becomes, or what to do by hand.

/** The file of the module that main.ts starts: in a monorepo, applications do not have an app.module.ts. */
function rootModuleOf(main = '') {
  const [, name] = /\bNestFactory\.create(?:<[^(]*>)?\(\s*(\w+)/.exec(main) ?? [];
  const imported = new RegExp(`import \\{ ${name} \\} from ['"]\\./([\\w./-]+?)(?:\\.js)?['"]`);
  const [, path = 'app.module'] = imported.exec(main) ?? [];
  return `${path}.ts`;
}

const IMPORT = "import { ZkLockModule } from 'nestjs-zk-lock';";

function addModule(before, { servers }) {
  if (before?.includes('ZkLockModule')) return { after: before };
  const module = [
    'ZkLockModule.forRoot({',
    `  servers: process.env.ZK_CONNECT ?? '${servers}',`,
    '})',
  ].join('\n    ');
  const byHand = `${IMPORT}\n\n@Module({\n  imports: [\n    ${module},\n  ],`;
  const { MetadataManager } = projectsOwn('@nestjs/schematics') ?? {};
  if (!MetadataManager || before === undefined) return { byHand };
  const imported = before.replace(/^.*from ['"]@nestjs\/common['"];?(\r?\n)/m, `$&${IMPORT}$1`);
  const isAlone = /\bimports: *\[\s*\]/.test(before);
  const entry = isAlone ? `\n    ${module},\n  ` : module;
  const after = new MetadataManager(imported).insert('imports', entry);
  // The manager does not see a property without a value, and would add a second one.
  const isHidden = /[{,]\s*imports\s*[,}]/.test(before);
  const isDone = imported !== before && after !== undefined && after !== imported && !isHidden;
  return isDone ? { after } : { byHand };
}

const LISTEN = /^([ \t]*)(?:await |return |void )*(\w+)\.listen\(/m;

function enableShutdownHooks(before) {
  if (before?.includes('.enableShutdownHooks(')) return { after: before };
  const call = (app) => `${app}.enableShutdownHooks(['SIGTERM', 'SIGINT']);`;
  const [, , app] = LISTEN.exec(before ?? '') ?? [];
  const isApplication = new RegExp(`\\b${app}\\b[^=\n]*=\\s*await NestFactory\\.create`).test(
    before,
  );
  if (!isApplication) return { byHand: `${call('app')} // before app.listen()` };
  return { after: before.replace(LISTEN, `$1${call(app)}\n$&`) };
}

const TEST_IMPORT = "import { withEmbeddedZooKeeper } from 'nestjs-zk-lock/testing';";
const TESTING_MODULE = /Test\.createTestingModule\(\{\s*imports: \[(\w+)\],?\s*\}\)\.compile\(\)/;

/** The end of its beforeEach(). An application that is not closed keeps the test process running. */
const STARTED = /await app\.init\(\);\s*\}\);\r?\n/;

function embedZooKeeper(before) {
  if (before.includes('nestjs-zk-lock/testing')) return { after: before };
  const [, root = 'AppModule'] = TESTING_MODULE.exec(before) ?? [];
  const module = [
    'withEmbeddedZooKeeper(',
    `  Test.createTestingModule({ imports: [${root}] }),`,
    ').compile()',
  ].join('\n    ');
  const after = before
    .replace(TESTING_MODULE, module)
    .replace(/^.*from ['"]@nestjs\/testing['"];?(\r?\n)/m, `$&${TEST_IMPORT}$1`);
  const isDone = after.includes(module) && after.includes(TEST_IMPORT);
  if (!isDone) return { byHand: `${TEST_IMPORT}\n\nawait ${module};` };
  if (after.includes('app.close()')) return { after };
  return { after: after.replace(STARTED, '$&\n  afterEach(() => app.close());\n') };
}

/** For the test; the version is this package's own. */
function addZkEmbedded(tree, { addTask, logger }) {
  const path = 'package.json';
  const before = tree.exists(path) ? tree.readText(path) : '{}';
  const manifest = JSON.parse(before);
  const { dependencies = {}, devDependencies = {} } = manifest;
  if ('zk-embedded' in { ...dependencies, ...devDependencies }) return;
  const all = { ...devDependencies, 'zk-embedded': `^${version}` };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  const [indentation = '  '] = /^[ \t]+(?=")/m.exec(before) ?? [];
  tree.overwrite(
    path,
    `${JSON.stringify({ ...manifest, devDependencies: sorted }, undefined, indentation)}\n`,
  );
  const packageManager = packageManagerOf(tree);
  logger.info(`The end-to-end test runs on zk-embedded: ${packageManager} installs it.`);
  const options = { command: 'install', quiet: true, hideOutput: true, packageManager };
  addTask({ toConfiguration: () => ({ name: 'node-package', options }) });
}

function packageManagerOf(tree) {
  if (tree.exists('pnpm-lock.yaml')) return 'pnpm';
  return tree.exists('yarn.lock') ? 'yarn' : 'npm';
}

/** A package that the project has, and this one need not see: package managers can be strict. */
function projectsOwn(name) {
  try {
    return require(require.resolve(name, { paths: [process.cwd()] }));
  } catch {
    return undefined;
  }
}
