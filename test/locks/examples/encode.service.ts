import { Injectable } from '@nestjs/common';
import { Locked, currentLock } from 'nestjs-zk-lock';

export abstract class Encoder {
  /** Runs a child process, and stops it when `signal` aborts. */
  abstract encode(video: string, signal: AbortSignal): Promise<void>;
}

@Injectable()
export class EncodeService {
  constructor(private readonly encoder: Encoder) {}

  /** The module's `marginMs: 3_000` gives the child three seconds to end. */
  @Locked('video:{0}')
  async encode(video: string): Promise<void> {
    await this.encoder.encode(video, currentLock().signal);
  }
}
