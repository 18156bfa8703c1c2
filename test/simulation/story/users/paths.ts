/** The directory of the users' znodes. */
export const USERS = '/users';
export const COUNTERS = [`${USERS}/counter-1`, `${USERS}/counter-2`] as const;
/** Two znodes that always have the same value. */
export const PAIR = [`${USERS}/left`, `${USERS}/right`] as const;
/** A znode that is created and deleted in turns. */
export const RELAY = `${USERS}/relay`;
/** An ephemeral znode that one user at a time creates. */
export const SEAT = `${USERS}/seat`;
