import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Locked, LockService, ZkLockModule, type ZkLockModuleOptions } from 'nestjs-zk-lock';
import { ZkLockPrometheusModule } from 'nestjs-zk-lock/prometheus';
import { Registry } from 'prom-client';
import type { Locksmith, Mode, Release } from '../locksmith.js';

type Section = () => Promise<void>;

@Injectable()
class Sections {
  @Locked((key: string) => key)
  async write(_key: string, section: Section): Promise<void> {
    await section();
  }

  @Locked((key: string) => key, { mode: 'read' })
  async read(_key: string, section: Section): Promise<void> {
    await section();
  }
}

/** This library around its users' sections, with default timeouts and collected metrics. */
export async function openOursGuarded(
  servers: string,
  { through, ...variant }: { through?: '@Locked' | 'withLock' },
): Promise<Locksmith> {
  const options: ZkLockModuleOptions = { servers, ...variant };

  @Module({
    imports: [
      ZkLockModule.forRoot(options),
      ZkLockPrometheusModule.forRoot({ registry: new Registry() }),
    ],
    providers: [Sections],
  })
  class BenchModule {}

  const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error'] });
  // Starting the application starts the collection.
  await app.init();
  const [locks, sections] = [app.get(LockService), app.get(Sections)];
  const guard = (key: string, mode: Mode, section: Section): Promise<void> =>
    through === '@Locked' ? sections[mode](key, section) : locks.withLock(key, { mode }, section);
  return {
    take: (key, mode) =>
      new Promise<Release>((resolve, reject) => {
        const section: Section = () =>
          new Promise((end) => {
            resolve(() => {
              end();
              return guarded;
            });
          });
        const guarded = guard(key, mode, section);
        guarded.catch(reject);
      }),
    close: () => app.close(),
  };
}
