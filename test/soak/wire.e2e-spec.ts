import { testPromises } from './meet-each-once.js';
import { SERVER_FAULTS } from './nemesis/server-faults.js';

testPromises('wire', SERVER_FAULTS);
