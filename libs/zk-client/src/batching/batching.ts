/**
 * Makes connections send requests together. What is learnt of the servers is shared by all
 * connections that are opened with it.
 */
export class Batching {
  /** False once a server did not know `multiRead`, which came with ZooKeeper 3.6. */
  readsTogether = true;
}
