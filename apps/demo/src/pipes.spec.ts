import { BadRequestException } from '@nestjs/common';
import { expect, it } from 'vitest';
import { MillisecondsPipe } from './milliseconds.pipe.js';
import { ShowNamePipe } from './show-name.pipe.js';

it.each(['', '-1', 'soon', '1e3', '60001', ['1', '2']])(
  'refuses %j as a time in milliseconds',
  (value) => {
    const argument = { type: 'query', data: 'timeoutMs' } as const;
    expect(() => new MillisecondsPipe().transform(value, argument)).toThrow(BadRequestException);
  },
);

it.each([undefined, '', ' ', '\t', 'x'.repeat(51)])('refuses %j as the name of a show', (name) => {
  expect(() => new ShowNamePipe().transform(name)).toThrow(BadRequestException);
});
