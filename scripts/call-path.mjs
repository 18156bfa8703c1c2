/**
 * Prints the source files of ours that one uncontended call of a `@Locked` method and its release
 * execute, with their lines: what a reader has to know. By V8's coverage of what is built.
 *
 *   npm run build && node scripts/call-path.mjs
 */
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { folderOf } from './packages/libraries.mjs';

const require = createRequire(import.meta.url);
const { Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { Locked, LockService, ZkLockModule } = require('nestjs-zk-lock');

/** Those between Nest and the bytes. */
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

/** The bundler writes the name of each source before its code. */
function sourcesIn(folder, { url, functions }) {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const marks = [...text.matchAll(/^\/\/ (src\/\S+\.ts)$/gm)];
  // `get` is how chunks export; a getter of a class has its name behind that.
  const called = functions.filter(
    ({ functionName, ranges }) => !['', 'get'].includes(functionName) && ranges[0].count > 0,
  );
  return called.flatMap(({ ranges: [{ startOffset }] }) => {
    const mark = marks.findLast(({ index }) => index < startOffset);
    return mark ? [join(folder, mark[1])] : [];
  });
}

const zooKeeper = await EmbeddedZooKeeper.start();
class AppModule {}
Module({
  imports: [ZkLockModule.forRoot({ servers: zooKeeper.connectString })],
  providers: [Orders],
})(AppModule);
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const orders = app.get(Orders);
// What is done once for a process, or for a key, belongs to no call.
await orders.ship('7');
const scripts = await coverageOf(() => orders.ship('7'));
const { held, waiting } = app.get(LockService).counts;
await app.close();
await zooKeeper.stop();
if (held + waiting > 0) throw new Error('The lock was not released.');

const rows = LIBRARIES.flatMap((library) => {
  const folder = folderOf(library);
  const own = scripts.filter(({ url }) => url.includes(`/libs/${library}/dist/`));
  return [...new Set(own.flatMap((script) => sourcesIn(folder, script)))];
}).map((file) => ({
  file: file.slice(file.indexOf('libs/')),
  lines: readFileSync(file, 'utf8').split('\n').length - 1,
}));
console.table(rows);
const lines = rows.reduce((sum, row) => sum + row.lines, 0);
console.log(`${rows.length} files, ${lines} lines`);
