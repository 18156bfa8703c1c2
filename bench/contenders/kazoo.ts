import { fileURLToPath } from 'node:url';
import type { Contender } from './contender.js';
import { Driver } from './driver.js';

/** Debian's Python, which has kazoo from `python3-kazoo`. PATH may lead to another Python. */
const PYTHON = '/usr/bin/python3';

const PROGRAM = fileURLToPath(new URL('../peers/kazoo/driver.py', import.meta.url));

/** Without `mixed`: its readers and writers can block each other forever (python-zk/kazoo#649). */
export const kazoo: Contender = {
  name: 'kazoo',
  about: 'kazoo: one process and client, a thread with a `Lock` for each task',
  backend: 'zookeeper',
  skills: ['own', 'one', 'try'],
  maxWaiters: 1_000,
  start(servers) {
    const words = [PYTHON, '-B', PROGRAM, servers, '/bench/kazoo'];
    return Driver.start(words, 'the driver of kazoo');
  },
};
