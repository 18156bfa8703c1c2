/** The types of requests (`ZooDefs.OpCode`). */
export const OpCode = {
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getACL: 6,
  setACL: 7,
  getChildren: 8,
  sync: 9,
  ping: 11,
  getChildren2: 12,
  check: 13,
  multi: 14,
  create2: 15,
  reconfig: 16,
  checkWatches: 17,
  removeWatches: 18,
  createContainer: 19,
  deleteContainer: 20,
  createTTL: 21,
  multiRead: 22,
  auth: 100,
  setWatches: 101,
  sasl: 102,
  getEphemerals: 103,
  getAllChildrenNumber: 104,
  setWatches2: 105,
  addWatch: 106,
  whoAmI: 107,
  closeSession: -11,
  /** Marks a failed part in the answer to a `multi`. */
  error: -1,
} as const;

export type OpName = keyof typeof OpCode;

const names = new Map<number, OpName>(
  Object.entries(OpCode).map(([name, code]) => [code, name as OpName]),
);

/** The name of a type of request, `undefined` for an unknown number. */
export function opName(code: number): OpName | undefined {
  return names.get(code);
}

/** The xids of packets that are not ordinary requests, or answer none. */
export const SpecialXid = {
  notification: -1,
  ping: -2,
  auth: -4,
  setWatches: -8,
} as const;
