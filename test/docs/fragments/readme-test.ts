import { LockTimeoutError } from 'nestjs-zk-lock';
import { expect } from 'vitest';
import { OrderService } from './readme-order.service.js';
import { createLockTestingModule, holdElsewhere } from 'nestjs-zk-lock/testing';

const module = await createLockTestingModule({ providers: [OrderService] }).compile();

await using rival = await holdElsewhere(module, 'order:42');
await expect(module.get(OrderService).ship({ id: 42 })).rejects.toThrow(LockTimeoutError);

await module.close();

export { rival };
