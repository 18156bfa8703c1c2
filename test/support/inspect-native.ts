/** The facts of a znode that tests use. */
export interface InspectedStat {
  readonly czxid: number;
  readonly mzxid: number;
  readonly version: number;
  readonly cversion: number;
  /** The session that owns an ephemeral node, in hex; `0` for others. */
  readonly ephemeralOwner: string;
  readonly createdInThisSession: boolean;
  readonly dataLength: number;
  readonly numChildren: number;
}

export interface InspectedNode {
  readonly data: Buffer;
  readonly stat: InspectedStat;
}

export type Callback<T extends unknown[]> = (code: number, text: string, ...answer: T) => void;

/** The part of the native client used here. Its promise wrapper hides the codes. */
export interface Native {
  readonly client_id: string;
  add_auth(scheme: string, auth: string, done: Callback<[]>): number;
  a_create(path: string, data: Buffer, flags: number, done: Callback<[string]>): number;
  a_delete_(path: string, version: number, done: Callback<[]>): number;
  a_get(path: string, watch: boolean, done: Callback<[InspectedStat, Buffer | undefined]>): number;
  a_set(path: string, data: Buffer, version: number, done: Callback<[InspectedStat]>): number;
  a_exists(path: string, watch: boolean, done: Callback<[InspectedStat]>): number;
  a_get_children(path: string, watch: boolean, done: Callback<[string[]]>): number;
  a_set_acl(
    path: string,
    version: number,
    acl: readonly { perm: number; scheme: string; auth: string }[],
    done: Callback<[]>,
  ): number;
  a_sync(path: string, done: Callback<[]>): number;
}
