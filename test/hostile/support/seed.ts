/** Of everything random in these tests: the same cases each time, unless it is set. */
export const seed = Number(process.env.HOSTILE_SEED ?? 20_251_121);
