export { ageText } from '../../../zk-client/src/count-text.js';
