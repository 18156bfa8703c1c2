import type { INestApplicationContext } from '@nestjs/common';
import { LockService } from 'nestjs-zk-lock';
import { expect, onTestFinished, vi } from 'vitest';
import { EmbeddedZooKeeper } from 'zk-embedded';

/** Closes it at the end of the test. */
export function closedAfterwards<C extends INestApplicationContext>(context: C): C {
  onTestFinished(() => context.close());
  return context;
}

export interface Started {
  readonly servers: readonly EmbeddedZooKeeper[];
  readonly services: readonly LockService[];
  /** Fails unless all servers have been stopped, and all sessions closed. */
  expectNothingLeft(): Promise<void>;
}

/** Records all servers and lock services that are started until the end of the test. */
export function recordStarted(): Started {
  const servers: EmbeddedZooKeeper[] = [];
  const start = EmbeddedZooKeeper.start.bind(EmbeddedZooKeeper);
  const startingServer = vi
    .spyOn(EmbeddedZooKeeper, 'start')
    .mockImplementation(async (options) => {
      const server = await start(options);
      servers.push(server);
      return server;
    });
  const startingService = vi.spyOn(LockService.prototype, 'start');
  onTestFinished(() => {
    startingServer.mockRestore();
    startingService.mockRestore();
  });
  return {
    servers,
    get services() {
      return startingService.mock.contexts as LockService[];
    },
    async expectNothingLeft() {
      for (const server of servers) {
        await expect(server.sessions()).rejects.toThrow('has been stopped');
      }
      for (const { session } of this.services) expect(session.snapshot.state.name).toBe('closed');
    },
  };
}
