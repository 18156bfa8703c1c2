export { ZkLockBoardModule } from './zk-lock-board.module.js';
export type {
  BoardGuard,
  ZkLockBoardExtras,
  ZkLockBoardOptions,
  ZkLockBoardOptionsFactory,
} from './board.options.js';
export { boardActionOf } from './board-action.js';
export type { BoardAction } from './board-api.js';
