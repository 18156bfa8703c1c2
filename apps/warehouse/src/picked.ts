import { Field, Int, ObjectType } from '@nestjs/graphql';
import { ApiProperty } from '@nestjs/swagger';

/** An article that was taken from its shelf. */
@ObjectType()
export class Picked {
  @ApiProperty({ type: String })
  @Field(() => String)
  sku!: string;

  @ApiProperty({ type: Number })
  @Field(() => Int)
  left!: number;

  /** A `bigint` as text, which JSON can carry. */
  @ApiProperty({ type: String })
  @Field(() => String)
  fencingToken!: string;

  /** Whose request it was, from the CLS. */
  @ApiProperty({ type: String })
  @Field(() => String)
  requestId!: string;
}
