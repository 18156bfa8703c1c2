/** The program of `npm start`: a page that shows two box offices at work, and the lock board. */
import { runProgram } from './program.js';
import { Settings } from './settings.js';
import { StageModule } from './stage/stage.module.js';
import { ZOOKEEPER, type ZooKeeper } from './zookeeper.module.js';

await runProgram(StageModule, (url, app) => {
  const { connectString, stop } = app.get<ZooKeeper>(ZOOKEEPER, { strict: false });
  const whose = stop ? 'embedded in this process at' : 'at';
  const ends = stop ? '; it ends with this process' : '';
  const { stateFile } = app.get(Settings, { strict: false });
  console.log(
    [
      `ZooKeeper: ${whose} ${connectString}${ends}`,
      `Sales: ${stateFile}`,
      `Lock board: ${url}/locks`,
      `Demo: ${url} shows two replicas that share a lock. Open it in a browser.`,
    ].join('\n'),
  );
});
