import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JuteWriter, OpCode } from 'zk-protocol';

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
