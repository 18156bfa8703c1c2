import { testPromisesUnder } from './meet-each-once.js';
import { LIMIT_FAULTS } from './nemesis/limit-faults.js';
import { NETWORK_FAULTS } from './nemesis/network-faults.js';

testPromisesUnder('networks and limits', [...NETWORK_FAULTS, ...LIMIT_FAULTS], 'native');
