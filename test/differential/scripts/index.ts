import { ALONE } from './alone.js';
import { SEVERAL_SERVERS } from './several.js';
import { TIMES } from './times.js';

export const SCRIPTS = [...ALONE, ...TIMES, ...SEVERAL_SERVERS];
