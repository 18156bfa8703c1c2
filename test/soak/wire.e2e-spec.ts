import { testPromises } from './meet-each-once.js';

testPromises('wire');
