import type { AbstractHttpAdapter } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

/** What Nest serves HTTP with; its own choice is Express. */
export const PLATFORMS: readonly [string, () => AbstractHttpAdapter | undefined][] = [
  ['Express', () => undefined],
  ['Fastify', () => new FastifyAdapter()],
];
