/** The longest delay that a Node timer accepts; anything longer is treated as unlimited. */
export const MAX_TIMER_MS = 0x7fff_ffff;

/** The longest text that is shown to people, such as `application` and `label`, in characters. */
export const MAX_LABEL_LENGTH = 200;

/** The largest version of a znode, and the largest number that a shared count can hold. */
export const MAX_COUNT = 0x7fff_ffff;

/** ZooKeeper's limit (`EphemeralType.TTL`), about 34 years. */
export const MAX_TTL_MS = 2 ** 40 - 1;
