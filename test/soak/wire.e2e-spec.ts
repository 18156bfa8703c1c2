import { testPromises } from './meet-each-once.js';
import { NETWORK_FAULTS } from './nemesis/network-faults.js';
import { SERVER_FAULTS } from './nemesis/server-faults.js';

/**
 * Server faults need not take a lock away; connections that are frozen for this long always take
 * some.
 */
const LOSING = NETWORK_FAULTS.filter(({ name }) => name.startsWith('connection frozen'));

testPromises('wire', [...LOSING, ...SERVER_FAULTS]);
