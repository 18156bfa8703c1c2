import { Args, Int, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Locked } from 'nestjs-zk-lock';
import { Picked } from './picked.js';
import { StockService } from './stock.service.js';

@Resolver()
export class StockResolver {
  constructor(private readonly stock: StockService) {}

  @Query(() => Int)
  left(@Args('sku', { type: () => String }) sku: string): number {
    return this.stock.left(sku);
  }

  @Mutation(() => Picked)
  @Locked('stock:{0}', { timeoutMs: (_sku: string, patienceMs?: number) => patienceMs })
  async pick(
    @Args('sku', { type: () => String }) sku: string,
    @Args('patienceMs', { type: () => Int, nullable: true }) _patienceMs?: number,
  ): Promise<Picked> {
    return this.stock.pick(sku);
  }
}
