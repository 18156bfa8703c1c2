import fc from 'fast-check';
import type { Codec } from '../jute.js';
import { OpCode } from '../op-code.js';
import {
  isRequestType,
  replyCodec,
  requestCodec,
  type ReplyBody,
  type RequestBody,
  type RequestType,
} from '../packets.js';
import { ConnectRequest, ConnectResponse } from '../records/connect.js';
import { ACL, ClientInfo, Id, Stat } from '../records/data.js';
import { MultiHeader, ReplyHeader, RequestHeader, WatcherEvent } from '../records/headers.js';

/** Every value that a codec can write, and read back unchanged. */
export const int32 = fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff });
export const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
/** All code points but halves of surrogate pairs. */
export const text = fc.string({ unit: 'binary' });
export const nullableText = fc.option(text);
export const bytes = fc.uint8Array().map((values) => Buffer.from(values));
const nullableBytes = fc.option(bytes);
const texts = fc.array(text, { maxLength: 5 });
const none = fc.constant(undefined);

const id = fc.record({ scheme: nullableText, id: nullableText });
const acl = fc.record({ perms: int32, id });
const acls = fc.array(acl, { maxLength: 4 });
const stat = fc.record({
  ...{ czxid: int64, mzxid: int64, ctime: int64, mtime: int64 },
  ...{ version: int32, cversion: int32, aversion: int32 },
  ...{ ephemeralOwner: int64, dataLength: int32, numChildren: int32, pzxid: int64 },
});
const clientInfo = fc.record({ authScheme: nullableText, user: nullableText });

const path = fc.record({ path: text });
const watched = fc.record({ path: text, watch: fc.boolean() });
const versioned = fc.record({ path: text, version: int32 });
const typed = fc.record({ path: text, type: int32 });
const creation = fc.record({ path: text, data: nullableBytes, acl: acls, flags: int32 });
const lapsing = fc.record({ path: text, data: nullableBytes, acl: acls, flags: int32, ttl: int64 });
const written = fc.record({ path: text, data: nullableBytes, version: int32 });
const created = fc.record({ path: text, stat });
const withStat = fc.record({ stat });
const dataAndStat = fc.record({ data: nullableBytes, stat });
const children = fc.record({ children: texts });
const watches = {
  relativeZxid: int64,
  dataWatches: texts,
  existWatches: texts,
  childWatches: texts,
};

const part = fc.oneof(
  fc.record({ type: fc.constant(OpCode.create), request: creation }),
  fc.record({ type: fc.constant(OpCode.create2), request: creation }),
  fc.record({ type: fc.constant(OpCode.createContainer), request: creation }),
  fc.record({ type: fc.constant(OpCode.createTTL), request: lapsing }),
  fc.record({ type: fc.constant(OpCode.delete), request: versioned }),
  fc.record({ type: fc.constant(OpCode.setData), request: written }),
  fc.record({ type: fc.constant(OpCode.check), request: versioned }),
  fc.record({ type: fc.constant(OpCode.getData), request: watched }),
  fc.record({ type: fc.constant(OpCode.getChildren), request: watched }),
);
const result = fc.oneof(
  fc.record({ type: fc.constant(OpCode.create), reply: path }),
  fc.record({ type: fc.constant(OpCode.create2), reply: created }),
  fc.record({ type: fc.constant(OpCode.delete), reply: none }),
  fc.record({ type: fc.constant(OpCode.setData), reply: withStat }),
  fc.record({ type: fc.constant(OpCode.check), reply: none }),
  fc.record({ type: fc.constant(OpCode.getData), reply: dataAndStat }),
  fc.record({ type: fc.constant(OpCode.getChildren), reply: children }),
  fc.record({ type: fc.constant(OpCode.error), err: int32 }),
);
const parts = fc.array(part, { maxLength: 6 });
const results = fc.array(result, { maxLength: 6 });

export const requestBodies: { [T in RequestType]: fc.Arbitrary<RequestBody<T>> } = {
  [OpCode.create]: creation,
  [OpCode.create2]: creation,
  [OpCode.createContainer]: creation,
  [OpCode.createTTL]: lapsing,
  [OpCode.delete]: versioned,
  [OpCode.exists]: watched,
  [OpCode.getData]: watched,
  [OpCode.setData]: written,
  [OpCode.getACL]: path,
  [OpCode.setACL]: fc.record({ path: text, acl: acls, version: int32 }),
  [OpCode.getChildren]: watched,
  [OpCode.getChildren2]: watched,
  [OpCode.getAllChildrenNumber]: path,
  [OpCode.getEphemerals]: fc.record({ prefixPath: nullableText }),
  [OpCode.sync]: path,
  [OpCode.check]: versioned,
  [OpCode.ping]: none,
  [OpCode.closeSession]: none,
  [OpCode.whoAmI]: none,
  [OpCode.auth]: fc.record({ type: int32, scheme: text, auth: nullableBytes }),
  [OpCode.sasl]: fc.record({ token: nullableBytes }),
  [OpCode.setWatches]: fc.record(watches),
  [OpCode.setWatches2]: fc.record({
    ...watches,
    persistentWatches: texts,
    persistentRecursiveWatches: texts,
  }),
  [OpCode.addWatch]: fc.record({ path: text, mode: int32 }),
  [OpCode.checkWatches]: typed,
  [OpCode.removeWatches]: typed,
  [OpCode.reconfig]: fc.record({
    joiningServers: nullableText,
    leavingServers: nullableText,
    newMembers: nullableText,
    currentConfigId: int64,
  }),
  [OpCode.multi]: parts,
  [OpCode.multiRead]: parts,
};

export const replyBodies: { [T in RequestType]: fc.Arbitrary<ReplyBody<T>> } = {
  [OpCode.create]: path,
  [OpCode.create2]: created,
  [OpCode.createContainer]: created,
  [OpCode.createTTL]: created,
  [OpCode.delete]: none,
  [OpCode.exists]: withStat,
  [OpCode.getData]: dataAndStat,
  [OpCode.setData]: withStat,
  [OpCode.getACL]: fc.record({ acl: acls, stat }),
  [OpCode.setACL]: withStat,
  [OpCode.getChildren]: children,
  [OpCode.getChildren2]: fc.record({ children: texts, stat }),
  [OpCode.getAllChildrenNumber]: fc.record({ totalNumber: int32 }),
  [OpCode.getEphemerals]: fc.record({ ephemerals: texts }),
  [OpCode.sync]: path,
  [OpCode.check]: none,
  [OpCode.ping]: none,
  [OpCode.closeSession]: none,
  [OpCode.whoAmI]: fc.record({ clientInfo: fc.array(clientInfo, { maxLength: 4 }) }),
  [OpCode.auth]: none,
  [OpCode.sasl]: fc.record({ token: nullableBytes }),
  [OpCode.setWatches]: none,
  [OpCode.setWatches2]: none,
  [OpCode.addWatch]: fc.record({ err: int32 }),
  [OpCode.checkWatches]: none,
  [OpCode.removeWatches]: none,
  [OpCode.reconfig]: dataAndStat,
  [OpCode.multi]: results,
  [OpCode.multiRead]: results,
};

/** Records that are not the body of a request or reply. */
const others = {
  ConnectRequest: entry(
    ConnectRequest,
    mayBeReadOnly({
      protocolVersion: int32,
      lastZxidSeen: int64,
      timeOut: int32,
      sessionId: int64,
      passwd: nullableBytes,
    }),
  ),
  ConnectResponse: entry(
    ConnectResponse,
    mayBeReadOnly({
      protocolVersion: int32,
      timeOut: int32,
      sessionId: int64,
      passwd: nullableBytes,
    }),
  ),
  RequestHeader: entry(RequestHeader, fc.record({ xid: int32, type: int32 })),
  ReplyHeader: entry(ReplyHeader, fc.record({ xid: int32, zxid: int64, err: int32 })),
  WatcherEvent: entry(WatcherEvent, fc.record({ type: int32, state: int32, path: text })),
  MultiHeader: entry(MultiHeader, fc.record({ type: int32, done: fc.boolean(), err: int32 })),
  Stat: entry(Stat, stat),
  ACL: entry(ACL, acl),
  Id: entry(Id, id),
  ClientInfo: entry(ClientInfo, clientInfo),
};

export interface CodecUnderTest {
  readonly name: string;
  readonly codec: Codec<unknown>;
  readonly values: fc.Arbitrary<unknown>;
}

/**
 * The types of requests that have codecs: a new one without arbitraries fails here and in the type
 * check.
 */
export const requestTypes = Object.entries(OpCode).flatMap(([name, type]) =>
  isRequestType(type) ? [{ name, type }] : [],
);

export const allCodecs: readonly CodecUnderTest[] = [
  ...requestTypes.map(({ name, type }) => ({
    name: `request ${name}`,
    codec: requestCodec(type),
    values: requestBodies[type] as fc.Arbitrary<unknown>,
  })),
  ...requestTypes.map(({ name, type }) => ({
    name: `reply ${name}`,
    codec: replyCodec(type),
    values: replyBodies[type] as fc.Arbitrary<unknown>,
  })),
  ...Object.entries(others).map(([name, { codec, values }]) => ({ name, codec, values })),
];

function entry<T>(codec: Codec<T>, values: fc.Arbitrary<T>): Omit<CodecUnderTest, 'name'> {
  return { codec: codec, values };
}

/** As old and new clients and servers send it. */
function mayBeReadOnly<T extends object>(fields: {
  [K in keyof T]: fc.Arbitrary<T[K]>;
}): fc.Arbitrary<T & { readOnly?: boolean }> {
  return fc.oneof(
    fc.record(fields),
    fc.record({ ...fields, readOnly: fc.boolean() }),
  ) as fc.Arbitrary<T & { readOnly?: boolean }>;
}
