/** A server, or several that form one service, on 127.0.0.1. */
export interface RunningServer {
  /** The ports that clients connect to. */
  readonly ports: readonly number[];
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

/** The addresses in the format that all clients accept: `127.0.0.1:1,127.0.0.1:2`. */
export function connectString(ports: readonly number[]): string {
  return ports.map((port) => `127.0.0.1:${port}`).join(',');
}

/** Several independent servers. */
export async function together(servers: readonly Promise<RunningServer>[]): Promise<RunningServer> {
  const started = await Promise.all(servers);
  return {
    ports: started.flatMap(({ ports }) => ports),
    stop: async () => {
      await Promise.all(started.map((server) => server.stop()));
    },
  };
}
