import type { FaultProxy } from './fault-proxy.js';

/** The ways in which a link can stand still while its sockets stay open. */
export const LINK_FREEZES = [
  { name: 'both directions', freeze: (proxy: FaultProxy) => proxy.freeze() },
  { name: 'towards the client', freeze: (proxy: FaultProxy) => proxy.freezeTowards('client') },
  { name: 'towards the server', freeze: (proxy: FaultProxy) => proxy.freezeTowards('server') },
] as const;
