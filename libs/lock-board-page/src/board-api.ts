/** What the page and its server say to each other. */
export type * from '../../nestjs-zk-lock/src/board/board-api.js';
