/** The addresses of an id of the scheme `ip`: `10.1.2.3`, or `10.0.0.0/8`. */
export interface IpRange {
  includes(address: string): boolean;
}

const INT = /^[+-]?\d+$/;

/** `undefined` for an invalid range. As in ZooKeeper, only IPv4 has ranges. */
export function parseIpRange(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  const address = toNumber(slash === -1 ? text : text.slice(0, slash));
  const bits = slash === -1 ? 32 : toInt(text.slice(slash + 1), 32);
  if (address === undefined || bits === undefined) return undefined;
  const size = 2 ** (32 - bits);
  const block = Math.floor(address / size);
  return {
    includes: (candidate) => {
      const number = toNumber(candidate);
      return number !== undefined && Math.floor(number / size) === block;
    },
  };
}

function toNumber(address: string): number | undefined {
  const bytes = address.split('.').map((text) => toInt(text, 255));
  if (bytes.length !== 4) return undefined;
  return bytes.reduce((sum, byte) =>
    sum === undefined || byte === undefined ? undefined : 256 * sum + byte,
  );
}

/** As Java's `Integer.parseInt` reads it: `+8` and `08` are 8. */
function toInt(text: string, max: number): number | undefined {
  if (!INT.test(text)) return undefined;
  const number = Number(text);
  return number >= 0 && number <= max ? number : undefined;
}
