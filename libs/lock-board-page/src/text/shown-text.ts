/** The only module of a library that the page is bundled with. */
export { shownText } from '../../../zk-locks/src/shown-text.js';
