import type { SimulatedReplica } from '../story/replica.js';
import type { Stage } from '../story/stage.js';
import { type Fault, pick } from './fault.js';

/** The sockets of a process, and the other ends of these. */
function socketsOf(stage: Stage, { process }: SimulatedReplica) {
  return stage.network.socketsOf(process);
}

const WAYS = ['both', 'out', 'in'] as const;

/** What happens between the application and the servers. */
export const networkFaults = {
  'connections reset': (stage, { target }) => {
    for (const socket of socketsOf(stage, pick(stage.replicas, target)!.current)) socket.reset();
  },

  'connections cut within a frame': (stage, { target, choices: [bytes = 0, side = 0] }) => {
    for (const socket of socketsOf(stage, pick(stage.replicas, target)!.current)) {
      (side < 500 ? socket : (socket.peer ?? socket)).cutAfter(bytes % 80);
    }
  },

  'connections silent': (stage, { target, choices: [way = 0] }) => {
    const ways = pick(WAYS, way)!;
    for (const socket of socketsOf(stage, pick(stage.replicas, target)!.current)) {
      socket.goSilent(ways);
    }
  },

  /** What was sent a moment before may arrive, its answer does not. */
  'connection lost just after a request': (stage, { target, choices }) => {
    const [count = 0, way = 0, later = 0, delay = 0] = choices;
    const { process } = pick(stage.replicas, target)!.current;
    let left = count % 6;
    for (const socket of stage.network.socketsOf(process)) {
      const onSent = (): void => {
        if (left-- > 0) return;
        socket.off('sent', onSent);
        stage.world.after((delay % 400) / 100, () => {
          socket.goSilent(pick(WAYS, way)!);
          stage.world.after(later % 300, () => socket.reset());
        });
      };
      socket.on('sent', onSent);
    }
  },

  'cut off from all servers': (stage, { target, ms, choices: [way = 0] }) => {
    const { host } = pick(stage.replicas, target)!.current.process;
    for (const member of stage.servers.members) {
      stage.blockFor(ms, host, member.process.host, pick(WAYS, way)!);
    }
  },

  'cut off from one server': (stage, { target, ms, choices: [which = 0, way = 0] }) => {
    const { host } = pick(stage.replicas, target)!.current.process;
    const member = pick(stage.servers.members, which)!;
    stage.blockFor(ms, host, member.process.host, pick(WAYS, way)!);
  },

  'slow network': (stage, { target, ms, choices: [extra = 0] }) => {
    const { host } = pick(stage.replicas, target)!.current.process;
    const hosts = stage.servers.members.map(({ process }) => process.host);
    const setAll = (extraMs: number): void => {
      for (const server of hosts) {
        stage.network.slow(host, server, extraMs);
        stage.network.slow(server, host, extraMs);
      }
    };
    setAll(extra);
    stage.untilHealed(ms, () => setAll(0));
  },
} as const satisfies Record<string, Fault>;
