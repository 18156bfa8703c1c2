/**
 * Acquires a lock through the built package, with each of the options in `LOCK_OPTIONS`. Prints the
 * library's log and the outcome of each call as JSON.
 */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkLockModule } from 'nestjs-zk-lock';

async function lockOnce(options) {
  const log = [];
  const note = (line, context) => {
    if (context === 'LockService') log.push(line);
  };
  const logger = { debug: note, log: note, warn: note, error: () => undefined };
  try {
    const app = await NestFactory.createApplicationContext(ZkLockModule.forRoot(options), {
      logger,
      abortOnError: false,
    });
    const lock = await app.get(LockService).acquire('k');
    const { isHeld } = lock;
    // A shutdown would wait for this lock.
    await lock.release();
    await app.close();
    return { log, isHeld };
  } catch ({ code, message }) {
    return { log, error: { code, message } };
  }
}

const told = [];
for (const options of JSON.parse(process.env.LOCK_OPTIONS)) told.push(await lockOnce(options));
console.log(JSON.stringify(told));
