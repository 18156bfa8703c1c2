import { parseDuration } from './duration.js';
import { UsageError } from './usage-error.js';

/** An option of the command line. */
export interface Flag {
  readonly help: string;
  /** Stands for its value in help; absent for a switch. */
  readonly value?: string;
  readonly short?: string;
  /** The environment variable that is used if the flag is not given. */
  readonly variable?: string;
  /** The values that shells offer as completions. */
  readonly choices?: readonly string[] | 'files';
}

export type Flags = Readonly<Record<string, Flag>>;

export const CONNECTION_FLAGS = {
  connect: {
    value: 'SERVERS',
    variable: 'ZK_CONNECT',
    help: 'ZooKeeper\'s connect string: "host1:2181,host2:2181/chroot". Required.',
  },
  root: {
    value: 'PATH',
    variable: 'ZK_LOCK_ROOT',
    help: 'The znode that contains the locks (default /locks).',
  },
  dialect: {
    value: 'NAME',
    variable: 'ZK_LOCK_DIALECT',
    help: 'The naming scheme of lock nodes (default curator-rw). Use the same dialect in all programs that use the root.',
    choices: ['curator-rw', 'curator-mutex', 'kazoo', 'single-node'],
  },
  user: { value: 'NAME', variable: 'ZK_LOCK_USER', help: 'The ZooKeeper user.' },
  'password-file': {
    value: 'FILE',
    variable: 'ZK_LOCK_PASSWORD_FILE',
    help: "The file with the user's password, for example /run/secrets/zk. A trailing line break is ignored.",
    choices: 'files',
  },
  scheme: {
    value: 'SCHEME',
    variable: 'ZK_LOCK_SCHEME',
    help: 'How the user logs in (default digest).',
    choices: ['digest', 'sasl'],
  },
  acl: {
    value: 'NAME',
    variable: 'ZK_LOCK_ACL',
    help: 'Who may access new nodes: "creator", only the user (default with --user), or "open", everyone.',
    choices: ['creator', 'open'],
  },
  tls: {
    variable: 'ZK_LOCK_TLS',
    help: 'Connects with TLS. Set the variable to "true" or "false".',
  },
  'tls-ca': {
    value: 'FILE',
    variable: 'ZK_LOCK_TLS_CA',
    help: 'Trusted certificates in PEM; implies --tls.',
    choices: 'files',
  },
  'tls-cert': {
    value: 'FILE',
    variable: 'ZK_LOCK_TLS_CERT',
    help: 'The certificate of this client in PEM; implies --tls.',
    choices: 'files',
  },
  'tls-key': {
    value: 'FILE',
    variable: 'ZK_LOCK_TLS_KEY',
    help: 'The private key of that certificate in PEM; implies --tls.',
    choices: 'files',
  },
  'session-timeout': {
    value: 'TIME',
    variable: 'ZK_LOCK_SESSION_TIMEOUT',
    help: "How long a dead process's locks remain held (default 10s).",
  },
  'tick-time': {
    value: 'TIME',
    variable: 'ZK_LOCK_TICK_TIME',
    help: "The servers' tickTime, or more (default 2s). A smaller value is not safe.",
  },
  'connect-timeout': {
    value: 'TIME',
    variable: 'ZK_LOCK_CONNECT_TIMEOUT',
    help: 'The maximum time to wait for ZooKeeper (default 10s).',
  },
  application: {
    value: 'NAME',
    variable: 'ZK_LOCK_APPLICATION',
    help: 'The name that others see when they look at the lock (default zk-lock).',
  },
  verbose: { short: 'v', help: 'Reports on standard error what happens to the connection.' },
} satisfies Flags;

export const JSON_FLAG = {
  json: { help: 'Prints one JSON object per line; fencing tokens are strings.' },
} satisfies Flags;

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** The values of a call's flags, with those of the environment for flags that are not given. */
export class FlagValues {
  constructor(
    private readonly flags: Flags,
    private readonly values: Values,
    private readonly environment: Readonly<NodeJS.ProcessEnv>,
  ) {}

  /** Whether it was given, or its variable is set. */
  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  text(name: string): string | undefined {
    return this.#find(name)?.text;
  }

  isOn(name: string): boolean {
    const found = this.#find(name);
    if (found === undefined) return false;
    if (['true', '1'].includes(found.text)) return true;
    if (['false', '0'].includes(found.text)) return false;
    throw new UsageError(`${found.name} is "${found.text}": set it to true or false.`);
  }

  durationMs(name: string): number | undefined {
    const found = this.#find(name);
    return found && parseDuration(found.name, found.text);
  }

  integer(name: string, from: number, to: number): number | undefined {
    const found = this.#find(name);
    if (found === undefined) return undefined;
    const number = Number(found.text);
    if (/^\d+$/.test(found.text) && number >= from && number <= to) return number;
    const { name: given, text } = found;
    throw new UsageError(`${given} is "${text}": pass an integer from ${from} to ${to}.`);
  }

  /** How the value was given, for messages: the flag or the variable. */
  nameOf(name: string): string {
    return this.#find(name)?.name ?? flagName(name, this.flags[name]);
  }

  #find(name: string): { readonly name: string; readonly text: string } | undefined {
    const value = this.values[name];
    if (value !== undefined) return { name: `--${name}`, text: String(value) };
    const { variable } = this.flags[name] ?? {};
    const text = variable === undefined ? undefined : this.environment[variable];
    // An empty variable counts as unset: configurations of containers often leave variables empty.
    return variable === undefined || !text ? undefined : { name: variable, text };
  }
}

/** `--connect (ZK_CONNECT)`. */
export function flagName(name: string, flag?: Flag): string {
  return flag?.variable === undefined ? `--${name}` : `--${name} (${flag.variable})`;
}
