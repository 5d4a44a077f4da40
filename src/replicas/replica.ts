/**
 * One of the processes of a control plane. The active one has the control plane; every other one passes requests on to it.
 * The listener is open from the start to the end, whatever the role.
 */

import type { Clock } from '../environment/clock.ts';
import { exitCode } from '../errors/exit-code.ts';
import { VpError } from '../errors/vp-error.ts';
import type { ListenAddress } from '../http/listener/bind.ts';
import { type HttpListener, type HttpServerOptions, type ListenOptions, openServer } from '../http/listener/listen.ts';
import type { ListenerLog } from '../http/log.ts';
import type { ReplicaIdentity } from '../store/postgres/election.ts';
import { calculateBackoffMs } from '../timing/backoff.ts';
import { pollUntil } from '../timing/poll.ts';
import { TimeLimitError } from '../timing/timeout.ts';
import type { ActivePlane, ActiveRole } from './active-role.ts';
import type { ElectionConnection } from './election/election-connection.ts';
import { Elector } from './election/elector.ts';
import type { Term } from './election/term.ts';
import type { ElectionTimings } from './election/timings.ts';
import { createForwarder, type Forwarder } from './forwarding/forwarder.ts';
import type { ReplicaStatus } from './replica-status.ts';
import { type AttachedHandler, createAttachedHandler } from './routing/attached-handler.ts';
import { Peers } from './routing/peers.ts';
import { answerProbe } from './routing/probes.ts';
import { RequestRouter, type RequestRouterOptions, type RoutingLimits } from './routing/request-router.ts';

export type ReplicaLog = ListenerLog & { info(fields: Readonly<Record<string, unknown>>, message: string): void };

export type ReplicaOptions = ListenAddress &
  Pick<HttpServerOptions, 'limits'> & {
    readonly id: string;
    readonly version: string;
    /** The URL at which the others reach this one's listener, by what it is bound to. */
    readonly getAddress: (listener: HttpListener) => string;
    readonly connection: ElectionConnection;
    readonly hopKey: Uint8Array;
    readonly isKeyed: RequestRouterOptions['isKeyed'];
    readonly startPlane: (role: ActiveRole) => Promise<ActivePlane>;
    /** The first control plane of this process could not start, for a reason that stays. */
    readonly onFailure: (error: unknown) => void;
    readonly clock: Clock;
    readonly timings: ElectionTimings;
    /** When it stops: how long requests are still taken, so that a load balancer can notice that it is not ready. */
    readonly drainMs: number;
    readonly routingLimits: RoutingLimits;
    readonly log: ReplicaLog;
  };

/** The database was away for a moment: the next attempt may succeed. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof VpError)) return error instanceof TimeLimitError;
  return error.row.exit === exitCode.notReady || error.code === 'STORE_DATABASE_UNREACHABLE';
}

/** How long requests in hand may take when the role ends as planned, and when it was lost. */
const graceMs = { planned: 5_000, lost: 500 } as const;
/** After a control plane could not start, other replicas try it first: this one may be older than the store. */
const restartBackoff = { initialMs: 3_000, maxMs: 60_000 };

type RunningPlane = {
  readonly term: Term;
  readonly loss: AbortController;
  readonly plane: Promise<ActivePlane | undefined>;
};

export class Replica {
  readonly #options: ReplicaOptions;
  readonly #peers: Peers;
  readonly #router: RequestRouter;
  readonly #forwarder: Forwarder = createForwarder();
  #elector: Elector | undefined;
  #listener: HttpListener | undefined;
  #handler: AttachedHandler | undefined;
  #running: RunningPlane | undefined;
  #hasServed = false;
  #failedStarts = 0;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #lastError: string | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#peers = new Peers(options.id);
    this.#router = new RequestRouter({
      ...{ ownId: options.id, hopKey: options.hopKey, forwarder: this.#forwarder },
      ...{ clock: options.clock, limits: options.routingLimits, isKeyed: options.isKeyed },
      getOwnAddress: () => this.url,
      onSuspect: () => this.#elector?.wake(),
      findHandler: () => this.#findHandler(),
      findPeer: () => this.#peers.active,
      getDatabaseMs: () => this.#elector?.databaseMs ?? options.clock.nowMs(),
    });
  }

  get url(): string {
    return this.#listener?.url ?? '';
  }

  get status(): ReplicaStatus {
    const { state, replicas } = this.#view;
    const { id } = this.#options;
    const role = this.#elector?.term ? 'active' : 'standby';
    const isCutOff = this.#elector?.isCutOff ?? false;
    return { id, role, epoch: state?.epoch, activeId: state?.activeId, isCutOff, replicas };
  }

  /** Opens the listener and looks at the election. Rejects with LISTEN_*, REPLICA_ADDRESS_INVALID, and errors of the database. */
  async start(): Promise<void> {
    const { id, version, connection, clock, timings, log } = this.#options;
    const listener = await openServer({ ...this.#options, createHandler: () => this.#createHandler() });
    this.#listener = listener;
    const replica: ReplicaIdentity = { id, version, address: this.#options.getAddress(listener) };
    this.#elector = new Elector({
      ...{ replica, connection, clock, timings },
      canStand: () => !this.#isStopping && !this.#running && clock.monotonicMs() >= this.#notBeforeMs,
      onActive: (term) => this.#onActive(term),
      onLost: (term) => this.#onLost(term),
      onChange: () => this.#onChange(),
      onError: (error) => this.#onElectionError(error),
    });
    await this.#elector.start().catch(async (error: unknown) => {
      await listener.close(0);
      throw error;
    });
    log.info({ replica: id, address: replica.address, role: this.status.role }, 'replica started');
  }

  /** Ends requests in hand, gives the role to another replica, and passes on to it what still comes. */
  async stop(): Promise<void> {
    const { id, clock, drainMs } = this.#options;
    const closeMs = clock.monotonicMs() + drainMs;
    this.#isStopping = true;
    await this.#endPlane();
    await this.#elector?.release().catch((error: unknown) => this.#onElectionError(error));
    if (this.status.replicas.some((replica) => replica.id !== id)) {
      await this.#waitForSuccessor();
      await clock.sleep(Math.max(0, closeMs - clock.monotonicMs()));
    }
    await this.#listener?.close();
    await this.#elector?.close();
    this.#forwarder.close();
  }

  get #view() {
    return this.#elector?.view ?? { state: undefined, replicas: [], isConnected: false };
  }

  #createHandler() {
    return (...[incoming, outgoing]: Parameters<AttachedHandler['handle']>): void => {
      if (this.#isStopping) outgoing.shouldKeepAlive = false;
      if (!answerProbe(incoming, outgoing, this.#findHandler() ? undefined : this.status, this.#isStopping))
        this.#router.handle(incoming, outgoing);
    };
  }

  #findHandler(): AttachedHandler['handle'] | undefined {
    return this.#handler && this.#elector?.term?.isValid() ? this.#handler.handle : undefined;
  }

  #onChange(): void {
    const { state, isConnected } = this.#view;
    if (state) this.#peers.update(state);
    if (isConnected && this.#lastError !== undefined) {
      this.#lastError = undefined;
      this.#options.log.info({}, 'the election goes on');
    }
    this.#router.onChange();
  }

  /** Logs an error once: it comes again with every step of the election. */
  #onElectionError(error: unknown): void {
    const text = String(error);
    if (text === this.#lastError) return;
    this.#lastError = text;
    this.#options.log.warn({ err: error }, 'the election of the active replica is interrupted');
  }

  #onActive(term: Term): void {
    this.#options.log.info({ replica: this.#options.id, epoch: term.epoch }, 'this replica is active');
    const loss = new AbortController();
    this.#running = { term, loss, plane: this.#startPlane(term, loss.signal) };
  }

  async #startPlane(term: Term, signal: AbortSignal): Promise<ActivePlane | undefined> {
    const { startPlane, clock, log, onFailure } = this.#options;
    try {
      const plane = await startPlane({
        epoch: term.epoch,
        signal,
        onReplaced: () => this.#elector?.lose(term),
        openListener: (options) => this.#attach(options),
      });
      this.#hasServed = true;
      this.#failedStarts = 0;
      return plane;
    } catch (error) {
      log.error({ err: error }, 'the control plane could not start');
      this.#notBeforeMs = clock.monotonicMs() + calculateBackoffMs(restartBackoff, this.#failedStarts);
      this.#failedStarts += 1;
      this.#running = undefined;
      await this.#elector?.release().catch((thrown: unknown) => this.#onElectionError(thrown));
      if (!this.#hasServed && !signal.aborted && !isPassing(error)) onFailure(error);
      return undefined;
    }
  }

  async #attach(options: ListenOptions): Promise<Pick<HttpListener, 'url' | 'close'>> {
    const findConnection = (incoming: object) => this.#router.findConnection(incoming);
    const attached = createAttachedHandler({ ...options, findConnection }, this.#options.clock);
    this.#handler = attached;
    this.#router.onChange();
    const close = async (): Promise<void> => {
      if (this.#handler === attached) this.#handler = undefined;
      await attached.close(this.#elector?.term ? graceMs.planned : graceMs.lost);
    };
    return { url: this.url, close };
  }

  #onLost(term: Term): void {
    this.#options.log.warn({ replica: this.#options.id, epoch: term.epoch }, 'this replica is not active any longer');
    this.#running?.loss.abort();
    void this.#endPlane();
  }

  /** Afterwards this replica can become active again. */
  async #endPlane(): Promise<void> {
    const { log } = this.#options;
    this.#handler = undefined;
    const running = this.#running;
    const plane = await running?.plane;
    await plane?.close().catch((error: unknown) => log.error({ err: error }, 'a control plane did not close'));
    if (this.#running === running) this.#running = undefined;
    this.#elector?.wake();
  }

  /** Until requests that came here, or still come from other replicas, can go to the next active one. */
  async #waitForSuccessor(): Promise<void> {
    const { clock, routingLimits, timings } = this.#options;
    const options = { clock, pauseMs: timings.confirmMs, timeoutMs: routingLimits.maxWaitMs };
    await pollUntil(options, () => this.#peers.active, Boolean);
    // Until each standby has looked at the election.
    await clock.sleep(timings.pollMs * 2);
  }
}
