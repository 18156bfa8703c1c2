/** Asks the demo for something. */
export type Act = (path: string, body: object) => Promise<void>;
