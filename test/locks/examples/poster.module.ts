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
    @InjectSemaphore('cards') readonly cards: Semaphore,
    @InjectElection('reports') readonly reports: LeaderElection,
    private readonly printer: Printer,
  ) {}

  /** The module below sets the number of permits. */
  @WithPermit('cards')
  async print(poster: string): Promise<void> {
    await this.printer.print(poster, currentPermit().signal);
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
