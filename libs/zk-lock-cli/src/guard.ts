/**
 * The guard of one command: a process between zk-lock and the command. It ends the command when zk-lock
 * is gone, even by SIGKILL, and when zk-lock does not extend the lease, for example because it is stopped.
 */
import { GuardedCommand } from './child/guarded-command.js';
import { type FromGuard, monotonicMs, type ToGuard } from './child/messages.js';
import { PASSED_ON, STOPPING } from './child/signals.js';

// `pkill node` does not find it.
if (process.platform !== 'win32') process.title = 'zk-lock guard';

let command: GuardedCommand | undefined;

function tell(news: FromGuard): void {
  const isLast = news.type === 'ended' || news.type === 'refused';
  if (process.connected) process.send?.(news, () => isLast && process.disconnect());
  if (isLast) command = undefined;
}

process.on('message', (message: ToGuard) => {
  switch (message.type) {
    case 'start':
      // This process may have been stopped, or had no CPU time, since zk-lock started it.
      if (monotonicMs() < message.leaseEndsAt) command = new GuardedCommand(message, tell);
      else {
        const endedAt = monotonicMs();
        tell({ type: 'ended', code: null, signal: null, wasLeaseOver: true, endedAt });
      }
      break;
    case 'lease':
      command?.extend(message.endsAt);
      break;
    case 'signal':
      command?.signal(message.signal);
      break;
    case 'end':
      command?.end();
      break;
    case 'kill':
      command?.kill();
      break;
  }
});

process.on('disconnect', () => command?.abandoned());

// Signals are for the command, which gets them from zk-lock or from the terminal.
for (const signal of [...PASSED_ON, ...STOPPING]) process.on(signal, () => undefined);
