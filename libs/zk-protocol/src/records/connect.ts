import { bool, buffer, type Codec, int, type Jute, long, record } from '../jute.js';

const connectRequest = record({
  protocolVersion: int,
  lastZxidSeen: long,
  /** In milliseconds. */
  timeOut: int,
  /** The session to attach to, 0 for a new one. */
  sessionId: long,
  passwd: buffer,
});

const connectResponse = record({
  protocolVersion: int,
  /** The granted timeout, in milliseconds; 0 when the session is over. */
  timeOut: int,
  sessionId: long,
  passwd: buffer,
});

/** Clients since 3.4 send this field, and expect it back. Older clients do neither. */
interface MayBeReadOnly {
  readonly readOnly?: boolean | undefined;
}

function withReadOnly<T extends object>(body: Codec<T>): Codec<T & MayBeReadOnly> {
  return {
    read: (reader) => {
      const value = body.read(reader);
      return reader.remaining === 0 ? value : { ...value, readOnly: bool.read(reader) };
    },
    write: (writer, value) => {
      body.write(writer, value);
      if (value.readOnly !== undefined) bool.write(writer, value.readOnly);
    },
  };
}

/** The first frame of a client. */
export const ConnectRequest = withReadOnly(connectRequest);
export type ConnectRequest = Jute<typeof ConnectRequest>;

/** The first frame of a server. */
export const ConnectResponse = withReadOnly(connectResponse);
export type ConnectResponse = Jute<typeof ConnectResponse>;
