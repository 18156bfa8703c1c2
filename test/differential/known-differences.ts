/** A difference from real servers of some versions. The test fails if it no longer exists. */
export interface KnownDifference {
  readonly script: string;
  readonly versions: readonly string[];
  /** The indexes of the steps whose answers differ. */
  readonly steps: readonly number[];
  readonly because: string;
}

const WATCHES = [
  'persistent, then children',
  'persistent, then data',
  'children, then recursive',
  'recursive, then data',
  'recursive, then persistent',
  'persistent, then recursive',
];

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    script: 'a server that lets clients read without a majority refuses the others',
    versions: ['3.8.0', '3.9.5'],
    steps: [6],
    because:
      'Simulated servers have no read-only mode: they say that they do not serve, and hang up as well. The libraries never ask for a read-only session.',
  },
  {
    script: 'a check alone is answered only where it fails',
    versions: ['3.9.5'],
    steps: [1],
    because: '3.9 knows a check only as a part of a multi; the libraries send no other.',
  },
  {
    script: 'a creation in a multi is answered with a stat',
    versions: ['3.9.5'],
    steps: [1],
    because: 'Up to 3.8, the answer to a create2 in a multi is that to a create: it has no stat.',
  },
  {
    script: 'persistent watches, and recursive ones',
    versions: ['3.9.5'],
    steps: [7, 8, 9],
    because:
      'In 3.9, a lasting watch is removed as what it is, not as a watch of data or of children (ZOOKEEPER-4471).',
  },
  {
    script: 'lasting watches are removed by their kind',
    versions: ['3.9.5'],
    steps: [3, 4, 5],
    because: '3.8.0 does not know the types of lasting watches in a removal (ZOOKEEPER-4471).',
  },
  {
    script: 'whether a node exists is told to those who may not read it',
    versions: ['3.9.5'],
    steps: [4],
    because: '3.9.5 refuses an exists to those who may not read the node (ZOOKEEPER-2590).',
  },
  {
    script: 'requests that make no sense',
    versions: ['3.9.5'],
    steps: [4, 5, 6, 14],
    because: 'In 3.9, a write that cannot be decoded takes no zxid.',
  },
  ...WATCHES.map((kinds) => ({
    script: `the watches of one client on one node: ${kinds}`,
    versions: ['3.9.5'],
    steps: [4],
    because:
      'In 3.9, a client has watches of several modes on one node beside each other; up to 3.8.0, the latest takes the place of the others (ZOOKEEPER-4466).',
  })),
];
