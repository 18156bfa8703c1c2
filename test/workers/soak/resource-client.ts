/** A resource that refuses fencing tokens lower than one it has seen. */
export interface Fenced {
  /** Returns whether the resource accepted the write. */
  write(grant: number, key: string, token: bigint): Promise<boolean>;
}
