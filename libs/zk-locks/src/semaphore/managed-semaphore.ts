import { printAsJson } from 'zk-client/recipes';
import { type OptionsAndWork, optionsAndWork, runGuarded } from '../grant/async-scope.js';
import type { HolderReport } from '../inspection/holder-report.js';
import type { Inspector } from '../inspection/inspector.js';
import type { InspectOptions } from '../lock/lock.js';
import type { LocksContext } from '../grant/locks-context.js';
import { semaphorePathsOf } from '../lock/key-path.js';
import { tryOnce } from '../queue/single-try.js';
import { HeldPermit, runWithPermit } from './held-permit.js';
import { PermitAgreement } from './permit-agreement.js';
import { changeOf, readCount } from './permit-count.js';
import type { Permit, Semaphore, SemaphoreInspection } from './semaphore.js';
import type { PermitOptions, TryPermitOptions } from '../options/permit-options.js';
import {
  findPermitHolders,
  type InspectedSemaphore,
  inspectSemaphore,
} from './semaphore-inspection.js';
import { checkNewCount, readInspectOptions, readPermitOptions } from '../options/call-options.js';
import { takePermits } from './take-permits.js';

interface NamedSemaphore extends InspectedSemaphore {
  /** The pattern of calls that pass none. */
  readonly pattern: string | undefined;
}

/** Several calls of `setPermits`, of which the last number counts. */
interface Change {
  permits: number;
  readonly done: Promise<void>;
}

/** The semaphore of one key. */
export class ManagedSemaphore implements Semaphore {
  readonly key: string;
  readonly #agreement: PermitAgreement;
  /** The change that is made once the one before it has ended. */
  #nextChange: Change | undefined;
  /** When the latest change has ended. Never rejects. */
  #lastChange: Promise<void> = Promise.resolve();

  constructor(
    private readonly named: NamedSemaphore,
    private readonly context: LocksContext,
    private readonly inspector: Inspector,
    private readonly holderReport: HolderReport,
  ) {
    const { key, directory, count } = named;
    this.key = key;
    const { leases } = semaphorePathsOf(directory);
    this.#agreement = new PermitAgreement(context.session, key, leases, count);
  }

  toJSON(): object {
    return { key: this.key };
  }

  async acquire(given?: PermitOptions): Promise<HeldPermit> {
    const { context, named } = this;
    const { key, directory, count, pattern } = named;
    const { take, ...options } = readPermitOptions(given, count);
    const { timeoutMs = context.acquireTimeoutMs } = options;
    const request = {
      key,
      kind: 'permit',
      mode: 'permit',
      directory,
      agreement: this.#agreement,
      count,
      take,
      timeoutMs,
      deadline: performance.now() + timeoutMs,
      signal: options.signal,
      label: options.label,
      pattern: options.pattern ?? pattern,
      explain: (error: unknown) =>
        this.holderReport.explainBy(error, directory, (lease) =>
          findPermitHolders(context, lease, named),
        ),
    } as const;
    const grant = await context.activeLocks.take(request, (wait) =>
      takePermits(request, wait, context),
    );
    return new HeldPermit(take, grant, options.release ?? context.release);
  }

  async tryAcquire(options?: TryPermitOptions): Promise<Permit | null> {
    return tryOnce(options, (once) => this.acquire(once));
  }

  async withPermit<T>(...given: OptionsAndWork<PermitOptions, Permit, T>): Promise<T> {
    const [options, fn] = optionsAndWork(given);
    const permit = await this.acquire(options);
    return runGuarded(permit, () => runWithPermit(permit, () => fn(permit)));
  }

  async permits(): Promise<number> {
    const { session } = this.context;
    const { count } = this.named;
    if (count.kind === 'fixed') return count.permits;
    return this.inspector.ask(count.path, (lease) => readCount(session, lease, count));
  }

  async setPermits(permits: number): Promise<void> {
    const { count } = this.named;
    checkNewCount(permits, count);
    if (this.#nextChange) {
      this.#nextChange.permits = permits;
      return this.#nextChange.done;
    }
    const next: Change = {
      permits,
      done: this.#lastChange.then(() => {
        this.#nextChange = undefined;
        return this.inspector.ask(count.path, changeOf(count.path, next.permits, this.context));
      }),
    };
    this.#nextChange = next;
    this.#lastChange = next.done.catch(() => undefined);
    return next.done;
  }

  async inspect(given: InspectOptions = {}): Promise<SemaphoreInspection> {
    const options = readInspectOptions(given);
    const { named } = this;
    const { inspection } = await this.inspector.ask(named.directory, (lease) =>
      inspectSemaphore(this.context, lease, named, options),
    );
    return inspection;
  }
}

printAsJson(ManagedSemaphore);
