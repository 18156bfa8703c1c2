export * from './connection/index.js';
