import { Injectable, Module } from '@nestjs/common';
import {
  InjectElection,
  InjectSemaphore,
  WithPermit,
  ZkLockModule,
  currentPermit,
  type LeaderElection,
  type Semaphore,
} from 'nestjs-zk-lock';

export abstract class Printer {
  abstract print(poster: string, signal: AbortSignal): Promise<void>;
}

@Injectable()
export class PosterService {
  constructor(
    @InjectSemaphore('cards') private readonly cards: Semaphore,
    @InjectElection('reports') private readonly reports: LeaderElection,
    private readonly printer: Printer,
  ) {}

  /** As many at a time as the module below says. */
  @WithPermit('cards')
  async print(poster: string): Promise<void> {
    await this.printer.print(poster, currentPermit().signal);
  }

  async status(): Promise<{ free: number; reportsHere: boolean }> {
    const { permits, holders } = await this.cards.inspect();
    return { free: permits - holders.length, reportsHere: this.reports.isLeader };
  }
}

@Module({
  imports: [
    ZkLockModule.forFeature({
      semaphores: [{ key: 'cards', permits: 4 }],
      elections: ['reports'],
    }),
  ],
  providers: [PosterService],
})
export class PosterModule {}
