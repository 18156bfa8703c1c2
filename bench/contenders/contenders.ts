import type { Contender } from './contender.js';
import { curators } from './curator.js';
import { etcd } from './etcd.js';
import { kazoo } from './kazoo.js';
import { ours, type Variant } from './ours.js';
import { raws } from './raw.js';
import { redlocks } from './redlock.js';

/** The ways to use this library, each a contender. */
const VARIANTS: readonly Variant[] = [
  {
    name: 'ours-wire',
    about: 'nestjs-zk-lock over zk-client, the default',
    ours: 'strict',
    options: { client: 'wire' },
  },
  {
    name: 'ours',
    about: 'nestjs-zk-lock over npm `zookeeper`',
    ours: 'strict',
    options: { client: 'native' },
  },
  {
    name: 'ours-cohort-wire',
    about: 'nestjs-zk-lock over zk-client, the default, with cohorts',
    ours: 'cohort',
    options: { client: 'wire', cohort: {} },
  },
  {
    name: 'ours-cohort',
    about: 'nestjs-zk-lock over npm `zookeeper`, with cohorts',
    ours: 'cohort',
    options: { client: 'native', cohort: {} },
  },
];

export const CONTENDERS: readonly Contender[] = [
  ...VARIANTS.map(ours),
  ...curators,
  kazoo,
  etcd,
  ...redlocks,
  ...raws,
];
