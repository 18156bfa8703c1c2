/** Where users have their znodes. */
export const USERS = '/users';
export const COUNTERS = [`${USERS}/counter-1`, `${USERS}/counter-2`] as const;
/** Both have the same value. */
export const PAIR = [`${USERS}/left`, `${USERS}/right`] as const;
/** Created and deleted in turns. */
export const RELAY = `${USERS}/relay`;
/** An ephemeral znode, for one at a time. */
export const SEAT = `${USERS}/seat`;
