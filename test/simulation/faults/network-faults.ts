import type { FaultPlan } from '../plan/plan.js';
import type { SimulatedReplica } from '../story/replica.js';
import type { Stage } from '../story/stage.js';
import { type Fault, pick } from './fault.js';

/** The replica that a fault cuts off for `ms`. */
function cutOff(stage: Stage, { target }: FaultPlan, ms: number): SimulatedReplica {
  const slot = pick(stage.replicas, target)!;
  stage.silence(slot, ms);
  return slot.current;
}

/** The sockets of a process and their peers. */
function socketsOf(stage: Stage, plan: FaultPlan) {
  return stage.network.socketsOf(cutOff(stage, plan, 0).process);
}

const WAYS = ['both', 'out', 'in'] as const;

/** Faults between the application and the servers. */
export const networkFaults = {
  'connections reset': (stage, plan) => {
    for (const socket of socketsOf(stage, plan)) socket.reset();
  },

  'connections cut within a frame': (stage, plan) => {
    const [bytes = 0, side = 0] = plan.choices;
    for (const socket of socketsOf(stage, plan)) {
      (side < 500 ? socket : (socket.peer ?? socket)).cutAfter(bytes % 80);
    }
  },

  'connections silent': (stage, plan) => {
    const [way = 0] = plan.choices;
    const ways = pick(WAYS, way)!;
    for (const socket of socketsOf(stage, plan)) {
      socket.goSilent(ways);
    }
  },

  /** The latest request may arrive, but its answer does not. */
  'connection lost just after a request': (stage, plan) => {
    const [count = 0, way = 0, later = 0, delay = 0] = plan.choices;
    let left = count % 6;
    for (const socket of socketsOf(stage, plan)) {
      const onSent = (): void => {
        if (left-- > 0) return;
        socket.off('sent', onSent);
        cutOff(stage, plan, 0);
        stage.world.after((delay % 400) / 100, () => {
          socket.goSilent(pick(WAYS, way)!);
          stage.world.after(later % 300, () => socket.reset());
        });
      };
      socket.on('sent', onSent);
    }
  },

  /** Delays one request, which may arrive after its client has opened another connection. */
  'request under way for long': (stage, plan) => {
    const {
      ms,
      choices: [count = 0],
    } = plan;
    let left = count % 6;
    for (const socket of socketsOf(stage, plan)) {
      const onSent = (): void => {
        if (left-- > 0) return;
        socket.off('sent', onSent);
        cutOff(stage, plan, ms);
        // The request that was just sent enters the network after this callback.
        stage.world.after(0, () => socket.hold(ms));
      };
      socket.on('sent', onSent);
    }
  },

  'cut off from all servers': (stage, plan) => {
    const {
      ms,
      choices: [way = 0],
    } = plan;
    const { host } = cutOff(stage, plan, ms).process;
    for (const member of stage.servers.members) {
      stage.blockFor(ms, host, member.process.host, pick(WAYS, way)!);
    }
  },

  'cut off from one server': (stage, plan) => {
    const {
      ms,
      choices: [which = 0, way = 0],
    } = plan;
    const { host } = cutOff(stage, plan, ms).process;
    const member = pick(stage.servers.members, which)!;
    stage.blockFor(ms, host, member.process.host, pick(WAYS, way)!);
  },

  'slow network': (stage, plan) => {
    const {
      ms,
      choices: [extra = 0],
    } = plan;
    const { host } = cutOff(stage, plan, ms + extra).process;
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
