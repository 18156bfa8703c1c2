import { Injectable, Module } from '@nestjs/common';
import { InjectLockService, Locked, LockService, ZkLockModule } from 'nestjs-zk-lock';

@Module({
  imports: [
    ZkLockModule.forRoot({ servers: 'zk1:2181,zk2:2181,zk3:2181' }),
    ZkLockModule.forRoot({ name: 'billing', servers: 'zk-billing:2181' }),
  ],
})
export class AppModule {}

@Injectable()
export class InvoiceService {
  constructor(@InjectLockService('billing') private readonly billing: LockService) {}

  @Locked('invoice:{0}', { connection: 'billing' })
  async send(invoice: string, deliver: (invoice: string) => Promise<void>): Promise<void> {
    await deliver(invoice);
  }

  async isBusy(invoice: string): Promise<boolean> {
    return (await this.billing.inspect(`invoice:${invoice}`)).holders.length > 0;
  }
}
