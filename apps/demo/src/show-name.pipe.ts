import { BadRequestException, Injectable, type PipeTransform } from '@nestjs/common';

/** Encoded, a lock's key must fit into 512 bytes, and a character can take nine. */
const MAX_LENGTH = 50;

@Injectable()
export class ShowNamePipe implements PipeTransform<string | undefined, string> {
  transform(name = ''): string {
    if (name.trim() === '') throw new BadRequestException('The show has no name.');
    if (name.length > MAX_LENGTH) {
      throw new BadRequestException(`The show's name is longer than ${MAX_LENGTH} characters.`);
    }
    return name;
  }
}
