import { Controller, Get, Param, ParseIntPipe, Post, Put } from '@nestjs/common';
import { ShelfService } from './shelf.service.js';

@Controller('shelf/:article')
export class ShelfController {
  constructor(private readonly shelf: ShelfService) {}

  @Get()
  count(@Param('article') article: string): number {
    return this.shelf.count(article);
  }

  @Put(':count')
  fill(@Param('article') article: string, @Param('count', ParseIntPipe) count: number): void {
    this.shelf.write(article, count);
  }

  @Post('takes')
  async take(@Param('article') article: string): Promise<number> {
    return this.shelf.take(article);
  }
}
