export { shownText } from '../../../zk-locks/src/shown-text.js';
