import { testPromisesUnder } from './meet-each-once.js';
import { CALM } from './nemesis/calm.js';
import { ENSEMBLE_FAULTS } from './nemesis/ensemble-faults.js';
import { OPERATOR_FAULTS } from './nemesis/operator-faults.js';
import { PROCESS_FAULTS } from './nemesis/process-faults.js';

const FAULTS = [...CALM, ...PROCESS_FAULTS, ...ENSEMBLE_FAULTS, ...OPERATOR_FAULTS];
testPromisesUnder('processes, data and operators', FAULTS, 'native');
