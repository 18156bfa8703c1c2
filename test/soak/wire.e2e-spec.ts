import { testPromises } from './meet-each-once.js';
import { NETWORK_FAULTS } from './nemesis/network-faults.js';
import { SERVER_FAULTS } from './nemesis/server-faults.js';

/** Servers that fail may take no lock; a connection that is frozen for so long takes some. */
const LOSING = NETWORK_FAULTS.filter(({ name }) => name.startsWith('connection frozen'));

testPromises('wire', [...LOSING, ...SERVER_FAULTS]);
