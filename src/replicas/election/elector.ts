/**
 * A replica's part in the election: it looks, takes over, renews, and gives up its role.
 *
 *     standby ── released, lost or expired: take over ──► active ── not renewed in time, or another took over ──► standby
 *                                                           └───── release() ──────────────────────────────────► standby
 */
import type { Clock } from '../../environment/clock.ts';
import { endWriters, releaseTerm, renewTerm, takeOver, takeSessionLock } from '../../store/postgres/active-term.ts';
import { type ElectionState, type ReplicaIdentity, readElection } from '../../store/postgres/election.ts';
import { type LiveReplica, listLiveReplicas, removeReplica, saveHeartbeat } from '../../store/postgres/heartbeats.ts';
import type { ElectionConnection, OpenSession } from './election-connection.ts';
import { TakeoverPolicy } from './takeover-policy.ts';
import { readMoment, Term } from './term.ts';
import type { ElectionTimings } from './timings.ts';

export type ElectorOptions = {
  readonly replica: ReplicaIdentity;
  readonly connection: ElectionConnection;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs' | 'nowMs'>;
  readonly timings: ElectionTimings;
  /** Whether this replica can become active now. */
  readonly canStand: () => boolean;
  readonly onActive: (term: Term) => void;
  readonly onLost: (term: Term) => void;
  /** The view has changed. */
  readonly onChange: () => void;
  /** A step has failed; the next ones follow. */
  readonly onError: (error: unknown) => void;
};

/** What a replica knows of the others; `state` is undefined until it has read it. */
export type ElectionView = {
  readonly state: ElectionState | undefined;
  readonly replicas: readonly LiveReplica[];
  readonly isConnected: boolean;
};

export class Elector {
  readonly #options: ElectorOptions;
  readonly #policy: TakeoverPolicy;
  readonly #createdMs: number;
  #term: Term | undefined;
  #view: ElectionView = { state: undefined, replicas: [], isConnected: false };
  #heartbeatMs = Number.NEGATIVE_INFINITY;
  #disconnectedSinceMs: number | undefined;
  #databaseOffsetMs: number | undefined;
  #busyPids: readonly number[] = [];
  /** A pooler gives the statements of one connection to several server processes, so no session shows that this replica lives. */
  #isPooled = false;
  #cancelStep = (): void => {};
  #cancelExpiry = (): void => {};
  #isClosed = false;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#createdMs = options.clock.monotonicMs();
    this.#policy = new TakeoverPolicy(options.replica.id, options.timings);
    options.connection.onEvent = () => this.wake();
  }

  get view(): ElectionView {
    return this.#view;
  }

  get term(): Term | undefined {
    return this.#term;
  }

  /** The clock of the database, which all replicas share; undefined until it was read. */
  get databaseMs(): number | undefined {
    const offsetMs = this.#databaseOffsetMs;
    return offsetMs === undefined ? undefined : offsetMs + this.#options.clock.monotonicMs();
  }

  /** What this replica knows of the others may be out of date. */
  get isCutOff(): boolean {
    const { clock, timings } = this.#options;
    const sinceMs = this.#disconnectedSinceMs;
    return sinceMs !== undefined && clock.monotonicMs() - sinceMs >= timings.unreadyMs;
  }

  /** Resolves after the first step; rejects with its error. */
  async start(): Promise<void> {
    this.#schedule(await this.#options.connection.run((open) => this.#step(open)));
  }

  /** Takes the next step now. */
  wake(): void {
    this.#schedule(0);
  }

  /** The database has refused a write of `term`, because another replica has taken over. */
  lose(term: Term): void {
    if (this.#term === term) this.#lose();
  }

  /** Gives the role away. Whatever needed it must have ended before. */
  async release(): Promise<void> {
    const term = this.#term;
    if (!term) return;
    this.#endTerm();
    const { connection, replica, timings } = this.#options;
    await connection.run(async ({ session }) => {
      await releaseTerm(session, replica, term.epoch);
      this.#update({ replicas: await listLiveReplicas(session, timings.silentMs) });
    });
    this.wake();
  }

  /** The other replicas see that this one has stopped, now or by its silence. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelStep();
    this.#endTerm();
    const { connection, replica } = this.#options;
    await connection.run(({ session }) => removeReplica(session, replica.id)).catch(() => undefined);
    await connection.close();
  }

  #lose(): void {
    const term = this.#term;
    if (!term) return;
    this.#endTerm();
    this.#options.onLost(term);
    this.wake();
  }

  #endTerm(): void {
    this.#cancelExpiry();
    this.#term?.end();
    this.#term = undefined;
  }

  #schedule(delayMs: number): void {
    this.#cancelStep();
    if (!this.#isClosed) this.#cancelStep = this.#options.clock.after(delayMs, () => void this.#run());
  }

  async #run(): Promise<void> {
    const { connection, timings, onError } = this.#options;
    try {
      const delayMs = await connection.run((open) => this.#step(open));
      this.#schedule(delayMs);
    } catch (error) {
      if (this.#isClosed) return;
      // Another replica may take over before this one is connected again.
      this.#term?.suspend();
      const wasConnected = this.#view.isConnected;
      this.#update({ isConnected: false });
      onError(error);
      this.#schedule(wasConnected ? 0 : timings.confirmMs);
    }
  }

  /** Returns the delay until the next step. */
  async #step(open: OpenSession): Promise<number> {
    const term = this.#term;
    // The others find the address of this replica with its heartbeat: it must be there before this one is active.
    if (!term) await this.#saveHeartbeat(open);
    const delayMs = term ? await this.#renew(open, term) : await this.#look(open);
    if (term) await this.#saveHeartbeat(open);
    return delayMs;
  }

  async #saveHeartbeat({ session }: OpenSession): Promise<void> {
    const { clock, timings, replica } = this.#options;
    if (clock.monotonicMs() - this.#heartbeatMs < timings.heartbeatMs) return;
    await saveHeartbeat(session, replica, clock.monotonicMs() - this.#createdMs);
    this.#heartbeatMs = clock.monotonicMs();
    this.#update({ replicas: await listLiveReplicas(session, timings.silentMs) });
  }

  async #look(open: OpenSession): Promise<number> {
    const { clock, timings, canStand } = this.#options;
    const { monotonicMs } = readMoment(clock);
    const state = await readElection(open.session);
    this.#databaseOffsetMs = state.databaseMs - clock.monotonicMs();
    this.#update({ state, isConnected: true });
    const decision = this.#policy.decide(state, monotonicMs);
    if (decision === 'confirm') return timings.confirmMs;
    return decision === 'take' && canStand() ? this.#takeOver(open, state) : timings.pollMs;
  }

  async #takeOver({ session }: OpenSession, state: ElectionState): Promise<number> {
    const { clock, timings, replica, onActive } = this.#options;
    const sent = readMoment(clock);
    const result = await takeOver(session, replica, state, timings.expiryMs);
    if (result.kind === 'busy') {
      // Transactions of a healthy writer end by themselves.
      const stuckPids = result.pids.filter((pid) => this.#busyPids.includes(pid));
      this.#busyPids = result.pids;
      if (stuckPids.length > 0) await endWriters(session, stuckPids);
      return timings.confirmMs;
    }
    this.#busyPids = [];
    if (result.kind === 'late') return 0;
    const term = new Term(result.epoch, clock, timings, sent);
    this.#term = term;
    this.#watchExpiry(term);
    const { id: activeId, address } = replica;
    const endedBy = state.activeId === undefined ? 'release' : 'loss';
    this.#update({ state: { ...state, epoch: result.epoch, activeId, address, endedBy } });
    onActive(term);
    return 0;
  }

  async #renew(open: OpenSession, term: Term): Promise<number> {
    const { clock, timings, replica } = this.#options;
    this.#isPooled ||= open.session.isPooled;
    if (open.lockPid === undefined && !this.#isPooled) open.lockPid = await takeSessionLock(open.session);
    const sent = readMoment(clock);
    const sessionPid = this.#isPooled ? undefined : open.lockPid;
    const renewal = await renewTerm(open.session, replica, { epoch: term.epoch, sessionPid });
    if (this.#term !== term) return 0;
    if (!renewal) {
      this.#lose();
      return 0;
    }
    this.#databaseOffsetMs = renewal.databaseMs - clock.monotonicMs();
    if (sessionPid !== undefined && renewal.sessionPid !== sessionPid) this.#isPooled = true;
    term.renew(sent);
    this.#watchExpiry(term);
    this.#update({ isConnected: true });
    return timings.renewMs;
  }

  #watchExpiry(term: Term): void {
    this.#cancelExpiry();
    this.#cancelExpiry = this.#options.clock.after(term.remainingMs, () => {
      if (this.#term !== term) return;
      if (term.remainingMs > 0) this.#watchExpiry(term);
      else this.#lose();
    });
  }

  #update(change: Partial<ElectionView>): void {
    this.#view = { ...this.#view, ...change };
    if (this.#view.isConnected) this.#disconnectedSinceMs = undefined;
    else this.#disconnectedSinceMs ??= this.#options.clock.monotonicMs();
    this.#options.onChange();
  }
}
