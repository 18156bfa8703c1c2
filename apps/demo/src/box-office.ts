/** The program of one replica: a box office that sells tickets. */
import { AppModule } from './app.module.js';
import { runProgram } from './program.js';
import { endWithParent, reportToParent } from './replica-news.js';
import { Settings } from './settings.js';

endWithParent();
await runProgram(AppModule, (url, app) => {
  const { stateFile } = app.get(Settings, { strict: false });
  console.log(`Box office: ${url}, its sales in ${stateFile}`);
  reportToParent(url);
});
