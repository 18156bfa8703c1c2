import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  HttpException,
  Logger,
  ServiceUnavailableException,
} from '@nestjs/common';
import { type Contender, LockAbortedError, ZkLockError, ZooKeeperUnavailableError } from 'zk-locks';
import { cleanText, messageWithoutLink, nameProcess, shownText } from 'zk-locks/inspect';
import { publish } from 'zk-locks/events';
import { show } from 'zk-locks/framework';
import { internalsOf, type LockService } from '../lock.service.js';
import type { BoardAction } from './board-api.js';

/** The body of an action's request, as it comes from the browser. */
export type ActionBody = Readonly<Record<string, unknown>>;

/** How many characters of a text from a browser a log line shows. */
const LONGEST_KEY = 200;
const LONGEST_USER = 100;
const LONGEST_ANSWER = 1_000;

/** Carries out the actions of operators on the application's own session, and logs who took them. */
export class BoardActions {
  readonly #logger = new Logger('ZkLockBoard');

  constructor(
    private readonly locks: () => LockService,
    private readonly connection = 'default',
    private readonly readOnly: boolean,
  ) {}

  /** Requests that have been logged. */
  readonly #told = new WeakSet();

  /**
   * @returns what was done, as a sentence
   * @throws {HttpException}
   */
  async perform(action: BoardAction, body: unknown, request: object): Promise<string> {
    const given = (body ?? {}) as ActionBody;
    const by = whoIs(request);
    this.#told.add(request);
    let key = shownKey(given);
    try {
      if (this.readOnly) throw new ForbiddenException('The lock board is read-only.');
      key = textOf(given, 'key');
      const text = cleanText(await this.#do[action](key, given));
      this.#tell({ action, key, by, text, error: undefined });
      return text;
    } catch (error) {
      const told = toException(error);
      const { message: text } = told;
      this.#tell({ action, key, by, text, error });
      throw told;
    }
  }

  hasTold(request: object): boolean {
    return this.#told.has(request);
  }

  /** Logs an action that a guard has refused. */
  tellRefused(action: BoardAction, request: AnyRequest, reason: string): void {
    this.#told.add(request);
    const key = shownKey((request.body ?? {}) as ActionBody);
    const error = new ForbiddenException(reason);
    const by = whoIs(request);
    this.#tell({ action, key, by, text: `refused: ${reason}`, error });
  }

  readonly #do: Readonly<Record<BoardAction, (key: string, given: ActionBody) => Promise<string>>> =
    {
      revoke: async (key) => {
        const asked = await this.locks().revoke(key);
        if (asked === 0) return this.#whyNone(key);
        return `${asked} ${asked === 1 ? 'holder was' : 'holders were'} asked to release the lock.`;
      },
      break: async (key, given) => {
        // Compares with the key as the page shows it, because a text field does not accept line breaks.
        if (given.typedKey !== shownText(key)) {
          throw new BadRequestException('To break the lock, type its key as it is shown.');
        }
        const broken = await this.locks().breakLock(key, {
          node: textOf(given, 'node'),
          token: tokenOf(given),
          foreign: given.foreign === true,
        });
        if (!broken.isEphemeral) {
          return `The node ${broken.node} is gone: it neither holds the lock nor waits for it.`;
        }
        const taken = `The lock was taken from ${nameOwner(broken)}.`;
        return broken.holder?.cohort
          ? `${taken} Its node served several calls. The call that had the lock has lost it.`
          : taken;
      },
      setPermits: async (key, given) => {
        const permits = internalsOf(this.locks()).agreedPermits.find(key);
        if (typeof permits !== 'object') {
          throw new ConflictException(
            'No ZkLockModule.forFeature() of this application names a shared count for this semaphore. Use { permits: { sharedCount, seed } } for a number that can be changed.',
          );
        }
        await this.locks()
          .semaphore(key, { permits })
          .setPermits(given.permits as number);
        return `The number of permits is now ${String(given.permits)}.`;
      },
      resign: async (key) => {
        const election = internalsOf(this.locks()).ownSight(key).election;
        if (!election) {
          throw new ConflictException('This application does not take part in the election.');
        }
        if (!election.isLeader) throw new ConflictException('This process is not the leader.');
        await election.resign();
        return 'This process has resigned and queues up again.';
      },
    };

  async #whyNone(key: string): Promise<string> {
    const [holder] = (await this.locks().inspect(key, { limit: 1 })).holders;
    if (!holder) return 'The lock has no holder.';
    return `No holder was asked: the holder had just left, or no process would notice the request. The lock is now held by ${nameOwner(holder)}.`;
  }

  #tell(event: {
    action: BoardAction;
    key: string;
    by: string;
    text: string;
    error: unknown;
  }): void {
    const { action, key, by, text, error } = event;
    const who = beginningOf(cleanText(by), LONGEST_USER);
    const what = beginningOf(shownText(key), LONGEST_KEY);
    const how = beginningOf(cleanText(text), LONGEST_ANSWER);
    const line = `${who} asked for "${action}" of "${what}" on the lock board: ${how}`;
    if (error === undefined) this.#logger.log(line);
    else this.#logger.warn(line);
    publish('action', { connection: this.connection, ...event });
  }
}

const nameOwner = ({ holder, node }: Contender): string => (holder ? nameProcess(holder) : node);

const beginningOf = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;

/** The body can contain anything, even an object that cannot be converted to a string. */
function shownKey({ key }: ActionBody): string {
  return typeof key === 'string' ? key : show(key);
}

function textOf(given: ActionBody, name: string): string {
  const value = given[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new BadRequestException(`\`${name}\` must be a string.`);
}

function tokenOf(given: ActionBody): bigint {
  const token = textOf(given, 'token');
  if (!/^\d{1,19}$/.test(token)) {
    throw new BadRequestException('`token` must be the fencing token, in digits.');
  }
  return BigInt(token);
}

/** Operators are told why; other callers of the application are not. */
function toException(error: unknown): Error {
  if (error instanceof HttpException) return error;
  if (error instanceof ZooKeeperUnavailableError || error instanceof LockAbortedError) {
    return new ServiceUnavailableException(messageWithoutLink(error), { cause: error });
  }
  if (error instanceof ZkLockError) {
    return new ConflictException(messageWithoutLink(error), { cause: error });
  }
  return error as Error;
}

interface AnyRequest {
  readonly body?: unknown;
  readonly user?: unknown;
  readonly ip?: string;
  readonly socket?: { readonly remoteAddress?: string };
}

const NAMES = ['username', 'name', 'email', 'id', 'sub'] as const;

/** The user whom the application's guards have identified, or else the address of the request. */
export function whoIs({ user, ip, socket }: AnyRequest): string {
  if (typeof user === 'string' && user !== '') return user;
  if (typeof user === 'object' && user !== null) {
    for (const name of NAMES) {
      const value = (user as Readonly<Record<string, unknown>>)[name];
      if (typeof value === 'string' || typeof value === 'number') return String(value);
    }
  }
  return ip ?? socket?.remoteAddress ?? 'an unknown user';
}
