/**
 * `nest add nestjs-zk-lock`: imports ZkLockModule in app.module.ts, and enables the shutdown hooks in
 * main.ts. What is there already stays, and what does not look as `nest new` makes it is left to the
 * user, who is told what to do.
 */
'use strict';

module.exports.default =
  (options) =>
  (tree, { logger }) => {
    for (const [name, edit] of Object.entries(EDITS)) {
      const path = `${options.sourceRoot}/${name}`;
      const before = tree.exists(path) ? tree.readText(path) : undefined;
      const { after, byHand } = edit(before, options);
      if (after === undefined)
        logger.warn(`${path} was not changed. Do this by hand:\n\n${byHand}\n`);
      else if (after !== before) tree.overwrite(path, after);
    }
    return tree;
  };

/** Each takes the file's text, or undefined, and returns what it becomes, or what to do by hand. */
const EDITS = { 'app.module.ts': addModule, 'main.ts': enableShutdownHooks };

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
  const isDone = imported !== before && after !== undefined && after !== imported;
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

/** A package that the project has, and this one need not see: package managers can be strict. */
function projectsOwn(name) {
  try {
    return require(require.resolve(name, { paths: [process.cwd()] }));
  } catch {
    return undefined;
  }
}
