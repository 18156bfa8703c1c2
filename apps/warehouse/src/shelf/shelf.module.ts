import { type DynamicModule, Module } from '@nestjs/common';
import { ClsPluginTransactional } from '@nestjs-cls/transactional';
import { ClsModule } from 'nestjs-cls';
import { Forklift } from '../forklift.js';
import { ShelfController } from './shelf.controller.js';
import { ShelfDatabase } from './shelf.database.js';
import { ShelfService } from './shelf.service.js';
import { SqliteAdapter } from './sqlite.adapter.js';

@Module({})
class ShelfDatabaseModule {}

/** Articles that are counted in a database, one transaction for each that is taken. */
@Module({
  controllers: [ShelfController],
  providers: [Forklift, ShelfService],
  exports: [Forklift],
})
export class ShelfModule {
  static forRoot(open = (): ShelfDatabase => new ShelfDatabase()): DynamicModule {
    const database = {
      module: ShelfDatabaseModule,
      providers: [{ provide: ShelfDatabase, useFactory: open }],
      exports: [ShelfDatabase],
    };
    const transactions = new ClsPluginTransactional({
      imports: [database],
      adapter: new SqliteAdapter(),
    });
    return { module: ShelfModule, imports: [ClsModule.registerPlugins([transactions])] };
  }
}
