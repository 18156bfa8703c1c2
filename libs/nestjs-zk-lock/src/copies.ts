import { registerCopy } from 'zk-locks/framework';
import { ownFile, ownVersion } from './own-file.js';

/** What is wrong and what to do, if this process has loaded several copies of this package. */
export const copiesProblem = registerCopy('nestjs-zk-lock', ownVersion, ownFile);
