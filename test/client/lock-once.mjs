/**
 * Takes a lock by the built package, with the options in `LOCK_OPTIONS`, and prints what the library
 * logged and what came of it as JSON.
 */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkLockModule } from 'nestjs-zk-lock';

const log = [];
const note = (line, context) => {
  if (context === 'LockService') log.push(line);
};
const logger = { debug: note, log: note, warn: note, error: () => undefined };

async function lockOnce(options) {
  try {
    const app = await NestFactory.createApplicationContext(ZkLockModule.forRoot(options), {
      logger,
      abortOnError: false,
    });
    const { isHeld } = await app.get(LockService).acquire('k');
    await app.close();
    return { log, isHeld };
  } catch ({ code, message }) {
    return { log, error: { code, message } };
  }
}

console.log(JSON.stringify(await lockOnce(JSON.parse(process.env.LOCK_OPTIONS))));
