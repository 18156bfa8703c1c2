import { Injectable } from '@nestjs/common';
import { currentLock, currentPermit, Locked, WithPermit } from 'nestjs-zk-lock';

/** Work as applications write it. */
@Injectable()
export class JobService {
  @Locked('job:{0}')
  async run(_task: number): Promise<bigint> {
    return Promise.resolve(currentLock().fencingToken);
  }

  @WithPermit('jobs', { permits: 4 })
  async queue(): Promise<boolean> {
    return Promise.resolve(currentPermit().isHeld);
  }
}
