import { CreateMode, encodeRequest, OpCode, type RequestBody, type RequestType } from 'zk-protocol';
import { expect, it } from 'vitest';
import { ReceivedRequest } from '../../../libs/zk-embedded/src/requests/received-request.js';
import { Ensemble } from '../ensemble/ensemble.js';
import type { Request } from '../ensemble/log/entry.js';
import type { Member } from '../ensemble/member.js';
import { inTimer } from '../ensemble/testing/simulated-stage.js';
import { Network } from '../network/network.js';
import { World } from '../world/world.js';
import { Witness } from './witness.js';

const HOLDER = 1n;
const NEXT_HOLDER = 2n;
const LENGTH_BYTES = 4;
const LOCK = '/locks/lock';

const acl = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

const open = (sessionId: bigint): Request => ({ kind: 'open', sessionId, timeoutMs: 60_000 });

function write<T extends RequestType>(sessionId: bigint, type: T, body: RequestBody<T>): Request {
  const received = new ReceivedRequest(encodeRequest(1, type, body).subarray(LENGTH_BYTES));
  return { kind: 'write', sessionId, received, identities: [], address: `client ${sessionId}` };
}

const create = (sessionId: bigint, path: string, flags: number): Request =>
  write(sessionId, OpCode.create, { path, data: null, acl, flags });

/** Three servers, and what the witness reports. */
class Scene {
  readonly reported: string[] = [];
  /** The zxids of commits, in the order in which leaders made them. */
  readonly committed: number[] = [];
  readonly #world = new World(1, true);
  readonly #servers = new Ensemble(this.#world, new Network(this.#world), { tickTimeMs: 200 });

  constructor() {
    const report = (_: string, message: string): void => void this.reported.push(message);
    new Witness(this.#servers, { operator: 'operator', report });
    this.#servers.onCommit(({ zxid }) => this.committed.push(zxid));
    this.#servers.start();
  }

  get lastCommitted(): number {
    return this.committed.at(-1)!;
  }

  /** Waits for another leader than `previous`. */
  nextLeader(previous?: Member): Member {
    const { members } = this.#servers;
    const rest = members.filter((member) => member !== previous);
    const isFound = (): boolean => {
      const { leader } = this.#servers;
      return leader !== undefined && leader !== previous && rest.every((one) => one.isServing);
    };
    this.#until(isFound);
    return this.#servers.leader!;
  }

  /** Waits until the leader has committed the requests. */
  execute(leader: Member, requests: readonly Request[]): void {
    const count = this.committed.length + requests.length;
    leader.process.post(() => {
      for (const request of requests) leader.peer.leader!.submit(request);
    });
    this.#until(() => this.committed.length === count);
  }

  /** The leader proposes the request, and is stopped before it hears of the others. */
  proposeAndStop(leader: Member, request: Request): void {
    leader.process.post(() => {
      leader.peer.leader!.submit(request);
      leader.stop();
    });
  }

  continue(leader: Member): void {
    const count = this.committed.length;
    leader.continue();
    this.#until(() => this.committed.length > count);
  }

  #until(isOver: () => boolean): void {
    this.#world.runUntil(this.#world.now + 10_000, isOver);
    if (!isOver()) throw new Error(this.#world.lines.join('\n'));
  }
}

it.each([
  { deleter: HOLDER, expected: [] },
  {
    deleter: NEXT_HOLDER,
    expected: [`client 2 deleted ${LOCK}, which belongs to another session`],
  },
])(
  'judges a deletion by session $deleter on the state of the deposed leader that commits it late',
  async ({ deleter, expected }) => {
    await inTimer(() => {
      const scene = new Scene();
      const first = scene.nextLeader();
      scene.execute(first, [
        open(HOLDER),
        open(NEXT_HOLDER),
        create(HOLDER, '/locks', CreateMode.persistent),
        create(HOLDER, LOCK, CreateMode.ephemeral),
      ]);
      const deletedAt = scene.lastCommitted + 1;
      scene.proposeAndStop(first, write(deleter, OpCode.delete, { path: LOCK, version: -1 }));

      // The others have logged the deletion, so that it is part of the next epoch.
      const next = scene.nextLeader(first);
      expect(next.peer.disk.log.has(deletedAt)).toBe(true);
      scene.execute(next, [create(NEXT_HOLDER, LOCK, CreateMode.ephemeral)]);
      expect(scene.lastCommitted).toBeGreaterThan(deletedAt);

      // Their acknowledgements have waited for the first leader.
      scene.continue(first);
      expect(scene.lastCommitted).toBe(deletedAt);
      expect(scene.reported).toEqual(expected);
    });
  },
);
