/**
 * The error codes of replies (`KeeperException.Code`). Codes of -100 and below refer to the request
 * or its caller.
 */
export const ErrorCode = {
  ok: 0,
  systemError: -1,
  runtimeInconsistency: -2,
  dataInconsistency: -3,
  connectionLoss: -4,
  marshallingError: -5,
  unimplemented: -6,
  operationTimeout: -7,
  badArguments: -8,
  unknownSession: -12,
  newConfigNoQuorum: -13,
  reconfigInProgress: -14,
  apiError: -100,
  noNode: -101,
  noAuth: -102,
  badVersion: -103,
  noChildrenForEphemerals: -108,
  nodeExists: -110,
  notEmpty: -111,
  sessionExpired: -112,
  invalidCallback: -113,
  invalidACL: -114,
  authFailed: -115,
  sessionMoved: -118,
  notReadOnly: -119,
  ephemeralOnLocalSession: -120,
  noWatcher: -121,
  requestTimeout: -122,
  reconfigDisabled: -123,
  sessionClosedRequireSaslAuth: -124,
  quotaExceeded: -125,
  throttledOp: -127,
} as const;

export type ErrorName = keyof typeof ErrorCode;
export type ErrorCode = (typeof ErrorCode)[ErrorName];

const names = new Map<number, ErrorName>(
  Object.entries(ErrorCode).map(([name, code]) => [code, name as ErrorName]),
);

/** The name of an error code, `undefined` for an unknown number. */
export function errorName(code: number): ErrorName | undefined {
  return names.get(code);
}
