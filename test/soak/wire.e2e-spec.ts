import { testPromises } from './meet-each-once.js';
import { NETWORK_FAULTS } from './nemesis/network-faults.js';
import { SERVER_FAULTS } from './nemesis/server-faults.js';

/** Connections that are frozen this long always lose locks, unlike those of failing servers. */
const LOSING = NETWORK_FAULTS.filter(({ name }) => name.startsWith('connection frozen'));

testPromises('wire', [...LOSING, ...SERVER_FAULTS]);
