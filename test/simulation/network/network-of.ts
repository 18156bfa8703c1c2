import type { World } from '../world/world.js';
import type { Network } from './network.js';

const networks = new WeakMap<World, Network>();

export function networkOf(world: World): Network {
  const network = networks.get(world);
  if (!network) throw new Error('this world has no network');
  return network;
}

export function setNetwork(world: World, network: Network): void {
  networks.set(world, network);
}
