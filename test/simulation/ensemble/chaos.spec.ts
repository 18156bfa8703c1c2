import { ErrorCode, OpCode } from 'zk-protocol';
import { describe, expect, it } from 'vitest';
import { Random } from '../../workers/soak/random.js';
import { breakSomething } from './testing/break-something.js';
import type { Client } from './testing/client.js';
import { inTimer } from './testing/in-timer.js';
import { Scene } from './testing/scene.js';

const SEEDS = Number(process.env.SEEDS ?? 10);
const FIRST = Number(process.env.FIRST ?? 1);
const ROUNDS = 40;

function sceneOf(seed: number): Scene {
  const random = new Random(seed);
  const voters = random.pick([1, 3, 3, 3, 5]);
  const late = { percent: random.pick([0, 0, 10]), leastMs: 1, mostMs: 300 };
  const scene = new Scene(
    {
      voters,
      observers: random.pick(['none', 'of the leader', voters > 1 ? 'of a follower' : 'none']),
      tickTimeMs: random.pick([200, 1_000]),
      initLimit: 5,
      syncLimit: random.pick([2, 5]),
      lag: late,
      disk: { ...late, percent: random.pick([0, 0, 20]) },
    },
    seed,
  );
  scene.pass(random.between(0, 3_000));
  return scene;
}

/** Writes what is left of it, while servers crash, stop and lose each other. */
function story(seed: number): void {
  const scene = sceneOf(seed);
  const { ensemble } = scene;
  const random = new Random(seed + 1_000_000);
  const confirmed: string[] = [];
  const answered = new Map<Client, number>();
  const clients = new Map<Client, Map<number, string>>();
  const collect = (): void => {
    for (const [client, paths] of clients) {
      const from = answered.get(client) ?? 0;
      const fresh = client.replies.slice(from);
      answered.set(client, from + fresh.length);
      fresh.forEach(({ xid, err }, index) => {
        expect(xid).toBe(from + index + 1);
        expect(err).toBe(ErrorCode.ok);
        const path = paths.get(xid);
        if (path !== undefined) confirmed.push(path);
      });
    }
  };
  const heals: (() => void)[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const client = scene.client(random.pick(ensemble.members), { timeoutMs: 600_000 });
    const paths = new Map<number, string>();
    clients.set(client, paths);
    scene.pass(random.between(0, 200));
    if (random.chance(60)) heals.push(breakSomething(scene, random));
    for (let write = 0; write < 5 && client.welcome && !client.isClosed; write++) {
      const path = `/${round}-${write}`;
      paths.set(client.create(path), path);
      if (random.chance(30)) client.send(OpCode.exists, { path, watch: true });
      scene.pass(random.between(0, 30));
    }
    scene.pass(random.between(0, random.pick([50, 2_000])));
    if (heals.length > 0 && random.chance(70))
      random.shuffle(heals.splice(0)).forEach((heal) => heal());
    collect();
  }
  for (const heal of heals) heal();
  // Some notice late that they have lost their leader.
  scene.pass(10_000).ready();
  const last = scene.connected(scene.leader);
  last.reply(last.create('/last'));
  scene.pass(2_000);
  collect();
  const trees = ensemble.members.map(({ replica }) => describeTree(replica.database.tree));
  for (const tree of trees) expect(tree).toEqual(trees[0]);
  for (const path of confirmed) expect(ensemble.view.find(path), path).toBeDefined();
  expect(confirmed.length).toBeGreaterThan(0);
}

function describeTree(tree: Scene['leader']['replica']['database']['tree']): string[] {
  const names = [...tree.get('/').children].sort();
  return names.map((name) => `${name} ${tree.get(`/${name}`).czxid}`);
}

describe('whatever breaks, as long as disks are kept', () => {
  it.each(Array.from({ length: SEEDS }, (_, index) => FIRST + index))(
    'what was confirmed is there in the end, on all servers (seed %i)',
    (seed) => inTimer(() => story(seed))(),
  );
});
