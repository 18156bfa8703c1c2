import type { Contender } from './contender.js';
import { curators } from './curator.js';
import { kazoo } from './kazoo.js';
import { ours } from './ours.js';
import { raws } from './raw.js';
import { redlocks } from './redlock.js';

export const CONTENDERS: readonly Contender[] = [...ours, ...curators, kazoo, ...redlocks, ...raws];
