import { LockTimeoutError } from 'nestjs-zk-lock';
import { createLockTestingModule, holdElsewhere } from 'nestjs-zk-lock/testing';
import { expect, it } from 'vitest';
import { OrderService } from './order.service.js';

it('does not ship an order that another replica is shipping', async () => {
  const moduleRef = await createLockTestingModule({ providers: [OrderService] }).compile();
  await holdElsewhere(moduleRef, 'order:42');
  await expect(moduleRef.get(OrderService).ship('42')).rejects.toThrow(LockTimeoutError);
  await moduleRef.close();
});
