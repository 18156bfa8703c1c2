import {
  type ArgumentMetadata,
  BadRequestException,
  Injectable,
  type PipeTransform,
} from '@nestjs/common';

const MAX_MS = 60_000;

@Injectable()
export class MillisecondsPipe implements PipeTransform<unknown, number | undefined> {
  transform(value: unknown, { data = '' }: ArgumentMetadata): number | undefined {
    if (value === undefined) return undefined;
    const ms = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : NaN;
    if (ms <= MAX_MS) return ms;
    throw new BadRequestException(`${data} must be a whole number from 0 to ${MAX_MS}.`);
  }
}
