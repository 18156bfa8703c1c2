import { Controller } from '@nestjs/common';
import {
  type CustomTransportStrategy,
  EventPattern,
  MessagePattern,
  type MicroserviceOptions,
  Server,
  ServerGrpc,
  ServerKafka,
} from '@nestjs/microservices';
import { type Lock, Locked } from 'nestjs-zk-lock';
import { finalize, from, Observable, of } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { Gate } from '../nest/support/gate.js';
import { useTestApps } from '../nest/support/test-apps.js';

const apps = useTestApps();
let seen: string[];
let other: Gate;

beforeEach(() => {
  seen = [];
  other = new Gate();
});

/** Handlers that return an Observable, and are skipped while the lock is busy. */
@Controller()
class Stock {
  @EventPattern('event')
  @Locked('stock', { onBusy: 'skip' })
  event(_data: unknown): Observable<string> {
    return of('handled');
  }

  @MessagePattern('message')
  @Locked('stock', { onBusy: 'skip' })
  message(_data: unknown): Observable<string> {
    return of('handled');
  }

  @EventPattern('shared')
  @Locked('stock', { onBusy: 'skip' })
  shared(_data: unknown): Observable<string> {
    return of('handled');
  }

  @EventPattern('shared')
  other(_data: unknown): Observable<void> {
    return from(other.pass().then(() => void seen.push('other'))).pipe(
      finalize(() => seen.push('end')),
    );
  }

  @EventPattern('failing')
  @Locked('stock', { timeoutMs: 120_000 })
  waiting(_data: unknown): Observable<string> {
    return of('handled');
  }

  @EventPattern('failing')
  failing(_data: unknown): Observable<never> {
    return from(
      other.pass().then(() => {
        throw new Error('no paper');
      }),
    );
  }
}

/** Starts the handlers on a server. Returns the lock, which makes them busy. */
async function listen(strategy: CustomTransportStrategy): Promise<Lock> {
  const app = await apps.build({ imports: [apps.zkLock()], controllers: [Stock] });
  app.connectMicroservice<MicroserviceOptions>({ strategy });
  await app.startAllMicroservices();
  await app.init();
  return (await apps.replica()).acquire('stock');
}

/** Nest's server for Kafka, without a broker. */
class Kafka extends ServerKafka {
  /** Nest 11 loads `kafkajs` at once. */
  protected override loadPackage(): never {
    return undefined as never;
  }

  override async listen(callback: () => void): Promise<void> {
    await Promise.resolve();
    callback();
  }

  /** Handles a message to which no answer is expected. */
  async consume(topic: string): Promise<void> {
    const message = { value: Buffer.from('{}'), headers: {} };
    await this.handleMessage({ topic, partition: 0, message } as never);
  }
}

/** Nest's way of calling a handler of gRPC, without a server. */
class Grpc extends Server {
  override transportId = Symbol('grpc');
  override on = (): void => undefined;
  override unwrap = (): never => undefined as never;
  close = (): void => undefined;

  listen(callback: () => void): void {
    callback();
  }

  async call(name: string): Promise<unknown> {
    const { createUnaryServiceMethod } = ServerGrpc.prototype;
    const handle = createUnaryServiceMethod.call(
      this as never,
      this.getHandlerByPattern(name)!,
    ) as (call: object, callback: (error: Error | null, answer: unknown) => void) => void;
    return new Promise((resolve, reject) => {
      handle({ request: {}, metadata: {} }, (error, answer) => {
        if (error) reject(error);
        else resolve({ answer });
      });
    });
  }
}

it('an event of Kafka that waits leaves the queue if another handler fails, because it is delivered again', async () => {
  const kafka = new Kafka({});
  const lock = await listen(kafka);
  const handled = kafka.consume('failing');
  await apps.untilQueued(2);
  other.open();
  await expect(handled).rejects.toThrow('Internal server error');
  await apps.untilQueued(1);
  await lock.release();
});

describe('a skipped handler that returns an Observable', () => {
  it.each(['event', 'message'])('does not make Kafka deliver its %s again', async (topic) => {
    const kafka = new Kafka({});
    await using _lock = await listen(kafka);
    await kafka.consume(topic);
  });

  it('does not end the other handlers of its event', async () => {
    const kafka = new Kafka({});
    await using _lock = await listen(kafka);
    const handled = kafka.consume('shared');
    other.open();
    await handled;
    expect(seen).toEqual(['other', 'end']);
  });

  it('answers a unary call of gRPC', async () => {
    const grpc = new Grpc();
    await using _lock = await listen(grpc);
    expect(await grpc.call('message')).toEqual({ answer: undefined });
  });
});
