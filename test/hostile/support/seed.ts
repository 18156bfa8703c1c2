/** The seed of these tests, which is fixed unless it is set. */
export const seed = Number(process.env.HOSTILE_SEED ?? 20_251_121);
