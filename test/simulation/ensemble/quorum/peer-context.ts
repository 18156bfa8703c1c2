import type { ClientPort } from '../clients/client-port.js';
import type { Disk } from '../log/disk.js';
import type { Replica } from '../log/replica.js';
import type { MemberOptions, ResolvedOptions } from '../options.js';
import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { Link, Listener } from './link.js';

/** Servers connect to the leader, or as observers to a follower. */
export type ServerPort = 'quorum' | 'observers';

/** One run of a server, as its roles see it. */
export interface PeerContext {
  readonly id: number;
  readonly process: SimulatedProcess;
  readonly options: MemberOptions;
  readonly ensemble: ResolvedOptions;
  readonly disk: Disk;
  readonly clients: ClientPort;
  /** Replaced when a leader sends its own state. */
  replica: Replica;
  note(text: string): void;
  listen(port: ServerPort, onLink: ((link: Link) => void) | undefined): void;
  connect(serverId: number, port: ServerPort): Link;
  /** The role is over: it looks for a leader. */
  look(reason: string): void;
  /** It is in step with the leader of this epoch. */
  setVoteEpoch(epoch: number): void;
}

export type { Listener };

export function isVoter({ voters }: ResolvedOptions, id: number): boolean {
  return id <= voters;
}

export function majorityOf({ voters }: ResolvedOptions): number {
  return Math.floor(voters / 2) + 1;
}
