/** All of ZooKeeper's permission bits. */
const ALL = 31;

/** One entry of a node's ACL: who may do what there. */
export interface AclEntry {
  readonly permissions: number;
  readonly scheme: string;
  readonly id: string;
}

/** Who may do what with one node; what is below has ACLs of its own. */
export type Acl = readonly AclEntry[];

/** All permissions for one user of a scheme, and none for anybody else. */
export function onlyFor(scheme: string, id: string): Acl {
  return [{ permissions: ALL, scheme, id }];
}
