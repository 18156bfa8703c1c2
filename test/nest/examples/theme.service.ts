import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ZkClient, ZooKeeperError, ZooKeeperUnavailableError } from 'nestjs-zk-lock';
import { type Subscription, switchMap } from 'rxjs';

/** A setting that all replicas share. */
@Injectable()
export class ThemeService implements OnModuleInit, OnModuleDestroy {
  theme = 'light';
  #changes: Subscription | undefined;

  constructor(private readonly zk: ZkClient) {}

  onModuleInit(): void {
    // The first event is a gap, sent once the watch is set. If you read then, you miss nothing.
    this.#changes = this.zk
      .watch('/theme')
      .pipe(switchMap(() => this.read()))
      .subscribe({
        next: (theme) => (this.theme = theme),
        error: (error: unknown) => Logger.error(error),
      });
  }

  onModuleDestroy(): void {
    this.#changes?.unsubscribe();
  }

  /** Rejects with `ZK_BAD_VERSION` if another replica has changed it meanwhile. */
  async darken(): Promise<void> {
    const { data, stat } = await this.zk.get('/theme');
    await this.zk.set('/theme', `dark ${data.toString()}`, { version: stat.version });
  }

  private async read(): Promise<string> {
    try {
      return (await this.zk.get('/theme')).data.toString();
    } catch (error) {
      if (error instanceof ZooKeeperError && error.code === 'ZK_NO_NODE') return 'light';
      // The next connection brings another gap.
      if (error instanceof ZooKeeperUnavailableError) return this.theme;
      throw error;
    }
  }
}
