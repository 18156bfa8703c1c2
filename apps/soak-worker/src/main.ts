import 'reflect-metadata';
import { createInterface } from 'node:readline';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkLockModule } from 'nestjs-zk-lock';
import { Journal, machineTime } from './journal.js';
import type { Closed, Command, Idle, Message, Request, SoakWorkerOptions } from './protocol.js';
import { Random } from './random.js';
import { ResourceClient } from './resource-client.js';
import type { Section } from './section.js';
import { StallWatch } from './stall-watch.js';
import { Tasks } from './tasks.js';

const options = JSON.parse(process.env.SOAK_WORKER_OPTIONS ?? '') as SoakWorkerOptions;
const { name, module, seed, keys } = options;

@Module({ imports: [ZkLockModule.forRoot(module)] })
class SoakWorkerModule {}

const tell = (message: Message): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

const app = await NestFactory.createApplicationContext(SoakWorkerModule, { logger: false });
const locks = app.get(LockService);
const journal = new Journal(options.journal);
const resource = await ResourceClient.connect(name, options.resourcePort);
const stalls = new StallWatch(journal);
const inside = new Set<Section>();
const context = {
  ...{ locks, journal, resource, stalls, keys, inside, patient: false },
  random: new Random(seed),
  clingUntil: 0,
};
const sessions = locks.session.state$.subscribe((state) =>
  journal.note({ type: 'session', state, at: machineTime() }),
);
const tasks = new Tasks(context, options.tasks);
const lines = createInterface({ input: process.stdin });

async function execute(command: Command): Promise<unknown> {
  switch (command.do) {
    case 'run':
      context.keys = command.keys ?? keys;
      context.patient = command.patient ?? false;
      tasks.run(command.only);
      return;
    case 'pause':
      context.clingUntil = 0;
      await tasks.pause();
      return locks.counts satisfies Idle;
    case 'cling':
      return cling(command.ms);
    case 'stall':
      stall(command.ms);
      return;
    case 'set-forward':
      setForward(command.ms);
      return;
    case 'where':
      return locks.session.snapshot.state.name === 'connected'
        ? locks.session.snapshot.connectedTo
        : undefined;
    case 'close':
      return close();
    default:
      return command satisfies never;
  }
}

/** How long to wait for somebody who holds something exclusively. */
const CLING_PATIENCE_MS = 1_000;

async function cling(ms: number): Promise<void> {
  const start = machineTime();
  context.clingUntil = start + ms;
  while (![...inside].some((section) => section.isExclusive)) {
    if (machineTime() - start > CLING_PATIENCE_MS) return;
    await sleep(1);
  }
}

function stall(ms: number): void {
  const end = machineTime() + ms;
  while (machineTime() < end);
}

function setForward(ms: number): void {
  journal.note({ type: 'set-forward', ms, at: machineTime() });
  const before = Date.now;
  Date.now = () => before() + ms;
}

async function close(): Promise<Closed> {
  await tasks.close();
  await app.close();
  sessions.unsubscribe();
  await resource.close();
  stalls.stop();
  lines.close();
  process.stdin.destroy();
  journal.close();
  await turn();
  const standard = ['PipeWrap', 'TTYWrap', 'WriteWrap', 'ShutdownWrap', 'Immediate'];
  return {
    resources: process.getActiveResourcesInfo().filter((kind) => !standard.includes(kind)),
  };
}

async function answer({ id, command }: Request): Promise<void> {
  try {
    tell({ type: 'answer', id, value: await execute(command) });
  } catch (error) {
    tell({ type: 'failure', id, error: String((error as Error).stack) });
  }
}

lines.on('line', (line) => void answer(JSON.parse(line) as Request));
// Whoever started it is gone.
process.stdin.once('end', () => process.exit());
tell({ type: 'ready' });
