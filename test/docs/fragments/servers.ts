/** Where the fragments find ZooKeeper. */
export const servers = 'zk1:2181';
