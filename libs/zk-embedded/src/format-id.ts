/** A session's id or a zxid as ZooKeeper's tools print it: `0x1000abc`. */
export function formatId(id: bigint): string {
  return `0x${BigInt.asUintN(64, id).toString(16)}`;
}

/** @throws {TypeError} if the text is not an id */
export function parseId(text: string): bigint {
  const digits = /^(?:0x)?([0-9a-f]{1,16})$/i.exec(text)?.[1];
  if (digits === undefined) {
    throw new TypeError(
      `zk-embedded: a session id must be in hex, as in 0x10000abc0000; got ${JSON.stringify(text)}.`,
    );
  }
  return BigInt.asIntN(64, BigInt(`0x${digits}`));
}
