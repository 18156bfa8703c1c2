import { Test } from '@nestjs/testing';
import { withEmbeddedZooKeeper } from 'nestjs-zk-lock/testing';
import { AppModule } from '../readme/app.module.js';

const moduleRef = await withEmbeddedZooKeeper(
  Test.createTestingModule({ imports: [AppModule] }),
).compile();

export { moduleRef };
