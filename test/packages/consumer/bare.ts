/**
 * An application without any of the optional packages. It acquires a lock on the server given on
 * the
 * command line, and prints the results as JSON.
 */
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { currentLock, Locked, LockService, ZkLockModule } from 'nestjs-zk-lock';

@Injectable()
export class Orders {
  @Locked('order:{0}')
  async ship(_id: string): Promise<string> {
    const { isHeld, key } = currentLock();
    return Promise.resolve(`${key} ${String(isHeld)}`);
  }
}

@Module({
  imports: [ZkLockModule.forRoot({ servers: process.argv[2] ?? '' })],
  providers: [Orders],
})
export class AppModule {}

async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] });
  const ship = await app.get(Orders).ship('9');
  const withLock = await app.get(LockService).withLock('order:9', ({ mode }) => mode);
  await app.close();
  process.stdout.write(JSON.stringify({ ship, withLock }));
}

void main();
