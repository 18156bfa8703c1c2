import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JuteReader, JuteWriter, OpCode } from 'zk-protocol';

/**
 * Writes a transaction log that a stopped ZooKeeper replays when it starts. In it a child of
 * `directory` is created and deleted again, so that the next sequential child gets the number
 * `next`. A real server would get there after as many creations.
 *
 * @param zxid higher than that of any transaction that the server has logged
 * @param directory exists on the server
 */
export function logNextSequence(
  dataDirectory: string,
  zxid: bigint,
  directory: string,
  next: number,
): void {
  const child = `${directory}/counted`;
  const creation = transaction(zxid, OpCode.create, (writer) => {
    writer.ustring(child);
    writer.buffer(Buffer.alloc(0));
    writer.int(0); // no ACL
    writer.bool(false); // not ephemeral
    writer.int(next); // what the counter of the directory becomes
  });
  const deletion = transaction(zxid + 1n, OpCode.delete, (writer) => writer.ustring(child));
  writeFileSync(
    join(dataDirectory, 'version-2', `log.${zxid.toString(16)}`),
    Buffer.concat([fileHeader(), creation, deletion]),
  );
}

function fileHeader(): Buffer {
  const writer = new JuteWriter();
  writer.raw(Buffer.from('ZKLG'));
  writer.int(2); // version of the format
  writer.long(0n); // id of the database
  return writer.copy();
}

function transaction(zxid: bigint, type: number, body: (writer: JuteWriter) => void): Buffer {
  const entry = new JuteWriter();
  entry.long(0n); // session
  entry.int(0); // the session's number of the request
  entry.long(zxid);
  entry.long(BigInt(Date.now()));
  entry.int(type);
  body(entry);
  const bytes = entry.copy();
  const logged = new JuteWriter();
  logged.long(BigInt(adler32(bytes)));
  logged.buffer(bytes);
  logged.raw(Buffer.from('B')); // end of the record
  return logged.copy();
}

function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

/** A transaction that a server has logged: it answers a write only after that. */
export interface LoggedTransaction {
  readonly zxid: bigint;
  /** The number of its request, as in `OpCode`; -10 and -11 for a session, -1 where it was refused. */
  readonly type: number;
}

const HEADER_BYTES = 16;

/** All transactions in the logs of a server, in their order. */
export function readTransactions(dataDirectory: string): LoggedTransaction[] {
  const folder = join(dataDirectory, 'version-2');
  return readdirSync(folder)
    .filter((name) => name.startsWith('log.'))
    .flatMap((name) => readLog(readFileSync(join(folder, name))))
    .sort((a, b) => Number(a.zxid - b.zxid));
}

function readLog(bytes: Buffer): LoggedTransaction[] {
  const found: LoggedTransaction[] = [];
  const reader = new JuteReader(bytes.subarray(HEADER_BYTES));
  while (reader.remaining > 0) {
    reader.long(); // checksum
    const entry = reader.buffer();
    // The file is longer than what was written.
    if (!entry || entry.length === 0) break;
    reader.bool(); // end of the record
    const header = new JuteReader(entry);
    header.long(); // session
    header.int(); // the session's number of the request
    const zxid = header.long();
    header.long(); // time
    found.push({ zxid, type: header.int() });
  }
  return found;
}
