export { ageText, shortAgeText } from '../../../zk-client/src/count-text.js';
