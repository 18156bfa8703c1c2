import { testPromises } from './meet-each-once.js';
import { NETWORK_FAULTS } from './nemesis/network-faults.js';
import { PROCESS_FAULTS } from './nemesis/process-faults.js';

testPromises('native', [...PROCESS_FAULTS, ...NETWORK_FAULTS]);
