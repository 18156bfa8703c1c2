import { inspect } from 'node:util';

/** JSON has no BigInt, so fencing tokens and zxids are written as strings of digits. */
type JsonMembers = Record<string, unknown>;

const inJson = (value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** The members with these names, if they exist. For a `toJSON`. */
export function membersInJson(value: object, ...names: readonly string[]): JsonMembers {
  const members = value as Readonly<JsonMembers>;
  const present = names.filter((name) => members[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, inJson(members[name])]));
}

/**
 * Makes a plain object with BigInts serializable. Copies and comparisons do not see the addition.
 */
export function withJson<T extends object>(value: T): T {
  return Object.defineProperty(value, 'toJSON', { value: ownMembers });
}

interface Json {
  toJSON(): object;
}

/** Lets `console` and loggers print the objects of a class as they are in JSON. */
export function printAsJson({ prototype }: { readonly prototype: Json }): void {
  Object.defineProperty(prototype, inspect.custom, {
    value(this: Json) {
      return this.toJSON();
    },
  });
}

function ownMembers(this: object): JsonMembers {
  return membersInJson(this, ...Object.keys(this));
}
