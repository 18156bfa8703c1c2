/**
 * Prints our source files that one uncontended call of a `@Locked` method and its release execute, with
 * their lines and the classes that the call enters: what a reader has to know. Uses V8's coverage of the
 * build.
 *
 *   npm run build && node scripts/call-path.mjs
 */
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { folderOf } from './packages/libraries.mjs';

const require = createRequire(import.meta.url);
const { Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { Locked, LockService, ZkLockModule } = require('nestjs-zk-lock');

/** The libraries between Nest and the bytes. */
const LIBRARIES = ['nestjs-zk-lock', 'zk-locks', 'zk-client', 'zk-protocol'];

class Orders {
  async ship() {}
}
const ship = Object.getOwnPropertyDescriptor(Orders.prototype, 'ship');
Locked('order:{0}')(Orders.prototype, 'ship', ship);
Object.defineProperty(Orders.prototype, 'ship', ship);

/** The functions that `run` calls, as ranges in the files of `dist`. */
async function coverageOf(run) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result;
}

/** The bundler writes the name of each source before its code, and keeps the names of classes. */
function enteredIn(folder, { url, functions }) {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const marks = [...text.matchAll(/^\/\/ (src\/\S+\.ts)$/gm)];
  const classes = classesIn(ts.createSourceFile(url, text, ts.ScriptTarget.Latest, true));
  // Chunks export through functions named `get`. A getter of a class has its own name after that.
  const called = functions.filter(
    ({ functionName, ranges }) => !['', 'get'].includes(functionName) && ranges[0].count > 0,
  );
  return called.flatMap(({ ranges: [{ startOffset }] }) => {
    const mark = marks.findLast(({ index }) => index < startOffset);
    const around = classes.findLast(({ start, end }) => start <= startOffset && startOffset < end);
    return mark ? [{ file: join(folder, mark[1]), className: around?.name }] : [];
  });
}

/** The classes in a node, each after the classes around it. */
function classesIn(node) {
  const inner = [];
  if (ts.isClassLike(node)) {
    const name = node.parent.name?.text ?? node.name?.text;
    inner.push({ name, start: node.getStart(), end: node.getEnd() });
  }
  ts.forEachChild(node, (child) => void inner.push(...classesIn(child)));
  return inner;
}

const zooKeeper = await EmbeddedZooKeeper.start();
class AppModule {}
Module({
  imports: [ZkLockModule.forRoot({ servers: zooKeeper.connectString })],
  providers: [Orders],
})(AppModule);
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const orders = app.get(Orders);
// The first call also does what is done once for a process or a key, so it does not count.
await orders.ship('7');
const scripts = await coverageOf(() => orders.ship('7'));
const { held, waiting } = app.get(LockService).counts;
await app.close();
await zooKeeper.stop();
if (held + waiting > 0) throw new Error('The lock was not released.');

const entered = LIBRARIES.flatMap((library) => {
  const own = scripts.filter(({ url }) => url.includes(`/libs/${library}/dist/`));
  return own.flatMap((script) => enteredIn(folderOf(library), script));
});
const rows = [...new Set(entered.map(({ file }) => file))].map((file) => {
  const names = entered.flatMap((call) => (call.file === file ? (call.className ?? []) : []));
  return {
    file: file.slice(file.indexOf('libs/')),
    lines: readFileSync(file, 'utf8').split('\n').length - 1,
    classes: [...new Set(names)].join(', '),
  };
});
console.table(rows);
const sum = (numberOf) => rows.reduce((total, row) => total + numberOf(row), 0);
const lines = sum((row) => row.lines);
const classes = sum((row) => row.classes.split(', ').filter(Boolean).length);
console.log(`${rows.length} files, ${lines} lines, ${classes} classes`);
