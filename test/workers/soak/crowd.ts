import 'reflect-metadata';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkLockModule, type Lock } from 'nestjs-zk-lock';
import { serve, startOptions } from '../serve.js';
import type { CrowdCommands, CrowdOptions, CrowdReport } from './crowd-protocol.js';

/** Many clients in one process, each with a session of its own, and a read lock that it holds. */
const { size, module, key } = startOptions() as CrowdOptions;

interface Member {
  readonly app: INestApplicationContext;
  readonly lock: Lock;
}

const members: Member[] = [];
let lost = 0;
const reconnected = new Set<LockService>();

async function join(): Promise<void> {
  @Module({ imports: [ZkLockModule.forRoot(module)] })
  class MemberModule {}

  const app = await NestFactory.createApplicationContext(MemberModule, { logger: false });
  const locks = app.get(LockService);
  const lock = await locks.acquire(key, { mode: 'read' });
  members.push({ app, lock });
  lock.signal.addEventListener('abort', () => lost++);
  let suspended = false;
  locks.session.state$.subscribe(({ name }) => {
    if (name === 'suspended') suspended = true;
    if (name === 'connected' && suspended) reconnected.add(locks);
    else reconnected.delete(locks);
  });
}

const report = (): CrowdReport => ({
  size: members.length,
  lost,
  reconnected: reconnected.size,
});

// A few at a time, as replicas of many services do not start in one moment.
const AT_ONCE = 20;
for (let joined = 0; joined < size; joined += AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, size - joined) }, join));
}
serve<CrowdCommands>({ report }, disperse, report());

async function leave({ app, lock }: Member): Promise<void> {
  // Else the shutdown would give its holder time to finish.
  await lock.release();
  await app.close();
}

async function disperse(): Promise<void> {
  while (members.length > 0) await Promise.all(members.splice(0, AT_ONCE).map(leave));
}
