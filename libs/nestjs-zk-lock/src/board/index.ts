export { boardActionOf } from './board-action.js';
export type { BoardAction } from './board-api.js';
