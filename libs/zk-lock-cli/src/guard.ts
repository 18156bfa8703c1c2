/**
 * The guard of one command: a process between zk-lock and the command. It ends the command when zk-lock
 * is gone, even by SIGKILL, and when zk-lock does not extend the lease, for example because it is stopped.
 */
import { GuardedCommand } from './child/guarded-command.js';
import { type FromGuard, monotonicMs, type Start, type ToGuard } from './child/messages.js';
import { PASSED_ON, STOPPING } from './child/signals.js';

// `pkill node` does not find it.
if (process.platform !== 'win32') process.title = 'zk-lock guard';

let command: GuardedCommand | undefined;
let leaseEndsAt = 0;

function tell(news: FromGuard): void {
  const isLast = news.type === 'ended' || news.type === 'refused';
  if (process.connected) process.send?.(news, () => isLast && process.disconnect());
  if (isLast) command = undefined;
}

function start(message: Start): void {
  const now = monotonicMs();
  if (process.connected && now < leaseEndsAt) {
    command = new GuardedCommand(message, leaseEndsAt, tell);
  } else {
    tell({ type: 'ended', code: null, signal: null, wasLeaseOver: true, endedAt: now });
  }
}

function obey(message: ToGuard): void {
  switch (message.type) {
    case 'start':
      start(message);
      break;
    case 'lease':
      command?.extend(leaseEndsAt);
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
}

process.on('message', (message: ToGuard) => {
  if (message.type === 'lease') leaseEndsAt = message.endsAt;
  // This process may have been stopped, or had no CPU time, since zk-lock started it. So before it starts
  // the command, it reads all that zk-lock has sent, which may extend the lease.
  if (command === undefined) setImmediate(() => obey(message));
  else obey(message);
});

process.on('disconnect', () => command?.abandoned());

// Signals are for the command, which gets them from zk-lock or from the terminal.
for (const signal of [...PASSED_ON, ...STOPPING]) process.on(signal, () => undefined);
