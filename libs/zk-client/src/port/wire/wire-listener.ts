import { type ChannelListener, EventType, type WatcherEvent } from '../../connection/index.js';
import type { ClientEnd, ClientListener, LastingEvent } from '../zookeeper-client.js';

const NODE_EVENTS: Readonly<Partial<Record<number, LastingEvent>>> = {
  [EventType.nodeCreated]: 'created',
  [EventType.nodeDeleted]: 'deleted',
  [EventType.nodeDataChanged]: 'changed',
  [EventType.nodeChildrenChanged]: 'children',
};

/** Passes on the events of a connection until its end. */
export class WireListener implements ChannelListener {
  #hasEnded = false;

  constructor(private readonly listener: ClientListener) {}

  onEvent({ type, path }: WatcherEvent): void {
    const event = NODE_EVENTS[type];
    if (event && !this.#hasEnded) this.listener.onNode(path, event);
  }

  onEnd(end: ClientEnd, cause?: unknown): void {
    if (this.#hasEnded) return;
    this.mute();
    this.listener.onEnd(end, cause);
  }

  /** Stops passing on events. */
  mute(): void {
    this.#hasEnded = true;
  }
}
