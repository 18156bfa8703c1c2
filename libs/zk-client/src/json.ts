/** JSON has no BigInt: fencing tokens and zxids are written as texts of digits. */
type JsonMembers = Record<string, unknown>;

const inJson = (value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** The members of these names, of those that are there. For a `toJSON`. */
export function membersInJson(value: object, ...names: readonly string[]): JsonMembers {
  const members = value as Readonly<JsonMembers>;
  const present = names.filter((name) => members[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, inJson(members[name])]));
}

/** Lets JSON write a plain object that has BigInts. Neither a copy nor a comparison sees it. */
export function withJson<T extends object>(value: T): T {
  return Object.defineProperty(value, 'toJSON', { value: ownMembers });
}

function ownMembers(this: object): JsonMembers {
  return membersInJson(this, ...Object.keys(this));
}
