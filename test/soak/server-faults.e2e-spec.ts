import { testPromisesUnder } from './meet-each-once.js';
import { SERVER_FAULTS } from './nemesis/server-faults.js';

testPromisesUnder('servers', SERVER_FAULTS, 'wire');
