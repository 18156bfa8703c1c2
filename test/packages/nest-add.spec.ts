import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { folderOf } from './manifests.js';

interface Tree {
  exists(path: string): boolean;
  readText(path: string): string;
  overwrite(path: string, text: string): void;
}

interface Context {
  readonly logger: { warn(message: string): void; info(message: string): void };
  addTask(task: { toConfiguration(): unknown }): void;
}

type Rule = (tree: Tree, context: Context) => unknown;

const require = createRequire(import.meta.url);
const { default: nestAdd } = require(
  join(folderOf('nestjs-zk-lock'), 'schematics/nest-add.cjs'),
) as {
  default: (options: { servers: string; sourceRoot: string }) => Rule;
};

const MODULE = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller';

@Module({
  imports: [],
  controllers: [AppController],
})
export class AppModule {}
`;

const MAIN = `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  await app.listen(process.env.PORT ?? 3000);
}
bootstrap();
`;

const TEST = `import { Test, TestingModule } from '@nestjs/testing';
import { AppModule } from './../src/app.module';

describe('AppController (e2e)', () => {
  beforeEach(async () => {
    const moduleFixture: TestingModule = await Test.createTestingModule({
      imports: [AppModule],
    }).compile();

    app = moduleFixture.createNestApplication();
  });
});
`;

/** Runs the schematic. Returns an application's files and the messages to its user. */
function add(
  module: string | undefined,
  main = MAIN,
  others: Readonly<Record<string, string>> = {},
) {
  const files = new Map(Object.entries(others));
  if (module !== undefined) files.set('src/app.module.ts', module);
  if (main !== '') files.set('src/main.ts', main);
  const warnings: string[] = [];
  const tasks: unknown[] = [];
  const tree: Tree = {
    exists: (path) => files.has(path),
    readText: (path) => files.get(path)!,
    overwrite: (path, text) => void files.set(path, text),
  };
  const rule = nestAdd({ servers: 'zk1:2181,zk2:2181', sourceRoot: 'src' });
  rule(tree, {
    logger: { warn: (message) => void warnings.push(message), info: () => undefined },
    addTask: (task) => void tasks.push(task.toConfiguration()),
  });
  return {
    ...{ module: files.get('src/app.module.ts'), main: files.get('src/main.ts') },
    ...{ files, warnings, tasks },
  };
}

describe('nest add', () => {
  it('imports ZkLockModule, and enables the shutdown hooks', () => {
    const { module, main, warnings } = add(MODULE);
    expect(module).toBe(`import { Module } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';
import { AppController } from './app.controller';

@Module({
  imports: [
    ZkLockModule.forRoot({
      servers: process.env.ZK_CONNECT ?? 'zk1:2181,zk2:2181',
    }),
  ],
  controllers: [AppController],
})
export class AppModule {}
`);
    expect(main).toBe(
      MAIN.replace(
        '  await app.listen',
        "  app.enableShutdownHooks(['SIGTERM', 'SIGINT']);\n  await app.listen",
      ),
    );
    expect(warnings).toEqual([]);
  });

  it.each([
    ['beside other modules', MODULE.replace('[]', '[ConfigModule.forRoot()]')],
    ['where there are no imports', MODULE.replace('  imports: [],\n', '')],
    [
      'in an empty decorator',
      "import { Module } from '@nestjs/common';\n\n@Module({})\nclass A {}\n",
    ],
    ['in lines that end with CRLF', MODULE.replaceAll('\n', '\r\n')],
    ['with double quotes', MODULE.replaceAll("'", '"')],
  ])('imports the module once: %s', (_, before) => {
    const { module, warnings } = add(before);
    expect(module!.match(/import \{ ZkLockModule \} from 'nestjs-zk-lock';/g)).toHaveLength(1);
    expect(module).toMatch(/imports: \[\s*(ConfigModule.forRoot\(\), )?ZkLockModule\.forRoot\(\{/);
    expect(warnings).toEqual([]);
  });

  it.each(['./billing.module', './billing.module.js'])(
    'finds the root module of an application of a monorepo, which main.ts imports from %s',
    (path) => {
      const billing = (text: string): string =>
        text.replaceAll('AppModule', 'BillingModule').replaceAll('app.module', 'billing.module');
      const main = billing(MAIN).replace('./billing.module', path);
      const { files, warnings } = add(undefined, main, {
        'src/billing.module.ts': billing(MODULE),
        'test/app.e2e-spec.ts': billing(TEST),
      });
      expect(files.get('src/billing.module.ts')).toContain('ZkLockModule.forRoot({');
      expect(files.get('test/app.e2e-spec.ts')).toContain(
        'Test.createTestingModule({ imports: [BillingModule] }),',
      );
      expect(warnings).toEqual([]);
    },
  );

  it.each([
    ['the imports are a variable', MODULE.replace('[]', 'modules')],
    ['there is no such file', undefined],
    ['no decorator is there', 'export class AppModule {}\n'],
    ['its imports are a constant', MODULE.replace('imports: []', 'imports')],
  ])('says what to do by hand with the module if %s', (_, before) => {
    const { module, warnings } = add(before);
    expect(module).toBe(before);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^src\/app\.module\.ts was not changed\..*by hand:\n\nimport \{ ZkLock/,
      ),
    ]);
  });

  it.each([
    ['there is no such file', ''],
    ['nothing listens', MAIN.replace(/ {2}await app\.listen.*\n/, '')],
    ['another server listens', MAIN.replace('app.listen', 'server.listen')],
  ])('says what to do by hand with the shutdown hooks if %s', (_, before) => {
    const { main, warnings } = add(MODULE, before);
    expect(main ?? '').toBe(before);
    expect(warnings).toEqual([
      expect.stringMatching(/^src\/main\.ts was not changed\..*app\.enableShutdownHooks\(\[/s),
    ]);
  });

  it('leaves the module to the user if the project lacks @nestjs/schematics', () => {
    const elsewhere = makeTempDir('project');
    onTestFinished(() => removeTempDir(elsewhere));
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(elsewhere);
    onTestFinished(() => cwd.mockRestore());
    const { module, warnings } = add(MODULE);
    expect(module).toBe(MODULE);
    expect(warnings).toHaveLength(1);
  });

  it.each(['npm', 'yarn', 'pnpm'])(
    'lets the end-to-end test run on zk-embedded, which %s installs',
    (packageManager) => {
      const { files, warnings, tasks } = add(MODULE, MAIN, {
        'test/app.e2e-spec.ts': TEST,
        'package.json': JSON.stringify({ name: 'shop', devDependencies: { zod: '^4.0.0' } }),
        ...(packageManager === 'yarn' && { 'yarn.lock': '' }),
        ...(packageManager === 'pnpm' && { 'pnpm-lock.yaml': '' }),
      });
      expect(files.get('test/app.e2e-spec.ts')).toBe(
        TEST.replace(
          /await Test.*\n.*\n.*compile/,
          `await withEmbeddedZooKeeper(
      Test.createTestingModule({ imports: [AppModule] }),
    ).compile`,
        ).replace(
          "testing';\n",
          "testing';\nimport { withEmbeddedZooKeeper } from 'nestjs-zk-lock/testing';\n",
        ),
      );
      expect(JSON.parse(files.get('package.json')!)).toEqual({
        name: 'shop',
        devDependencies: {
          'zk-embedded': expect.stringMatching(/^\^\d/) as unknown,
          zod: '^4.0.0',
        },
      });
      expect(tasks).toEqual([
        {
          name: 'node-package',
          options: expect.objectContaining({ command: 'install', packageManager }) as unknown,
        },
      ]);
      expect(warnings).toEqual([]);
    },
  );

  it('lets an end-to-end test close its application', () => {
    const started = TEST.replace(/(app = .*\n)/, '$1    await app.init();\n');
    const closing = started.replace(/\}\);\n$/, '  afterEach(() => app.close());\n$&');
    const [changed, same] = [started, closing].map((test) =>
      add(MODULE, MAIN, { 'test/app.e2e-spec.ts': test }).files.get('test/app.e2e-spec.ts')!,
    );
    expect(changed).toContain(
      '    await app.init();\n  });\n\n  afterEach(() => app.close());\n});\n',
    );
    expect(same!.match(/app\.close/g)).toHaveLength(1);
  });

  it('keeps the line ends of files, and the indentation of package.json', () => {
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    const { files } = add(crlf(MODULE), crlf(MAIN), {
      'test/app.e2e-spec.ts': crlf(TEST),
      'package.json': '{\n\t"name": "shop"\n}\n',
    });
    const plain = add(MODULE, MAIN, { 'test/app.e2e-spec.ts': TEST, 'package.json': '{}' }).files;
    for (const [path, text] of plain)
      if (path.endsWith('.ts')) expect(files.get(path)).toBe(crlf(text));
    expect(files.get('package.json')).toMatch(
      /^\{\n\t"name": "shop",\n\t"devDependencies": \{\n\t\t"zk/,
    );
  });

  it('installs nothing if zk-embedded is there, and changes a test only once', () => {
    const files = {
      'test/app.e2e-spec.ts': TEST,
      'package.json': '{ "devDependencies": { "zk-embedded": "file:zk-embedded.tgz" } }',
    };
    const once = add(MODULE, MAIN, files);
    expect(once.tasks).toEqual([]);
    expect(once.files.get('package.json')).toBe(files['package.json']);
    const twice = add(once.module, once.main, Object.fromEntries(once.files));
    expect(twice.files).toEqual(once.files);
  });

  it('says what to do by hand with an end-to-end test that looks different', () => {
    const test = TEST.replace('imports: [AppModule]', 'imports: [AppModule, OtherModule]');
    const { files, warnings, tasks } = add(MODULE, MAIN, { 'test/app.e2e-spec.ts': test });
    expect(files.get('test/app.e2e-spec.ts')).toBe(test);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^test\/app\.e2e-spec\.ts was not changed\..*nestjs-zk-lock\/testing.*withEmbeddedZooKeeper\(/s,
      ),
    ]);
    expect(tasks).toEqual([]);
  });
});
