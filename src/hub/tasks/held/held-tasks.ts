/**
 * Calls that wait for an approval as tasks of their clients. The store has the state, so that a task outlives its client's
 * connection, and this process:
 *
 *     waiting ─► sending ─► completed, failed, cancelled
 *        └─► failed (denied, expired, void), cancelled
 *
 * Only the step from waiting to sending may be followed by a call, and only one process makes it.
 */
import type { Clock } from '../../../environment/clock.ts';
import type { Random } from '../../../environment/random.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { KeyedListeners } from '../../../listeners/keyed-listeners.ts';
import type { ApprovalRow } from '../../../store/control/hubs/approvals.ts';
import {
  endHeldTask,
  findHeldTask,
  type HeldTaskRow,
  insertHeldTask,
  listHeldTasks,
  makeRoomForHeldTask,
} from '../../../store/control/hubs/held-tasks.ts';
import type { Database } from '../../../store/database.ts';
import type { HubPrincipal } from '../../access/principal.ts';
import { parseSubject } from '../../approvals/approval-record.ts';
import type { ApprovalRequests } from '../../approvals/approval-requests.ts';
import type { CallContext } from '../../gateway/call-context.ts';
import type { McpResult } from '../../gateway/pending-calls.ts';
import { tasksExtension } from '../../protocol/extensions.ts';
import {
  type CalledTool,
  createHeldTaskId,
  type HeldTaskSeals,
  isOpenTask,
  type StoredOutcome,
  serializeStoredCall,
  toTaskOwner,
  toTaskView,
} from './held-task-record.ts';

export type HeldTasksDependencies = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly seals: HeldTaskSeals;
  readonly requests: Pick<ApprovalRequests, 'withdraw'>;
};

/** Tasks of a person that are stored; the oldest that has ended makes room. */
const maxPerPerson = 50;
/** A result can be read at least this long after the last moment at which its call can be approved. */
const minRetentionMs = 3_600_000;
const maxTtlMs = 86_400_000;

/** For clients of 2025-11-25: what their model can be told while the task runs. */
const immediateResponseKey = 'io.modelcontextprotocol/model-immediate-response';

export type TaskStatusListener = (sessionId: string, state: McpResult) => void;

export class HeldTasks {
  readonly #dependencies: HeldTasksDependencies;
  readonly #listeners = new KeyedListeners<() => void>();
  /** Sessions of clients of 2025-11-25, which are gone after a restart, by task. */
  readonly #sessions = new Map<string, string>();
  readonly #controllers = new Map<string, AbortController>();
  readonly #closing = new AbortController();
  #onStarted: (row: HeldTaskRow) => void = () => {};
  #onStatus: TaskStatusListener = () => {};

  constructor(dependencies: HeldTasksDependencies) {
    this.#dependencies = dependencies;
  }

  /** Set once, before the first task: what is called with each new task, which may be decided already. */
  set onStarted(listener: (row: HeldTaskRow) => void) {
    this.#onStarted = listener;
  }

  /** Set once: what is called with each change of a task whose client has a session. */
  set onStatus(listener: TaskStatusListener) {
    this.#onStatus = listener;
  }

  /** `task` is what a client of 2025-11-25 wants; clients of the newest revision leave the choice to the hub. */
  canStart(
    { era, capabilities, inputResponses, requestState, principal, ...context }: CallContext,
    task: unknown,
  ): boolean {
    if (principal.via.kind === 'console' || context.trialDigest !== undefined || context.approvedTask) return false;
    if (era === 'older') return task !== undefined;
    const isContinuation = inputResponses !== undefined || requestState !== undefined;
    return !isContinuation && capabilities.extensions?.[tasksExtension] !== undefined;
  }

  /** Returns the result that describes the task. Throws HUB_APPROVALS_LIMITED. */
  async start(context: CallContext, called: CalledTool, approval: ApprovalRow): Promise<McpResult> {
    const { database, clock, random, seals } = this.#dependencies;
    const { principal, era, headers } = context;
    const id = createHeldTaskId(random);
    const nowMs = clock.nowMs();
    const { via, person } = principal;
    const row: HeldTaskRow = {
      ...{ id, ...toTaskOwner(principal), person_id: person.personId, era, state: 'waiting' },
      ...{ approval_id: approval.id, connection_id: parseSubject(approval).connection_id, tool: approval.tool },
      grant_credential: via.kind === 'grant' ? (via.credentialId ?? null) : null,
      message: `waits for the approval ${approval.id}`,
      sealed_call: seals.sealCall(id, serializeStoredCall(context, called)),
      ...{ sealed_outcome: null, created_at_ms: nowMs, updated_at_ms: nowMs },
      expires_at_ms: nowMs + getTtlMs(called.task, approval.expires_at_ms - nowMs),
    };
    const isStored = await database.write((sql) => {
      if (!makeRoomForHeldTask(sql, row.hub_id, row.person_id, maxPerPerson)) return false;
      insertHeldTask(sql, row);
      return true;
    });
    if (!isStored) throw vpError('HUB_APPROVALS_LIMITED', { subject: person.name, max: maxPerPerson });
    const sessionId = headers.get('mcp-session-id');
    if (era === 'older' && sessionId !== null) this.#sessions.set(id, sessionId);
    this.#onStarted(row);
    const view = toTaskView(row);
    if (era === 'newest') return { resultType: 'task', ...view };
    const text = `The call ${row.message} by somebody else. Its result can be read when it is approved.`;
    return { task: view, _meta: { [immediateResponseKey]: text } };
  }

  /** Undefined for a task that does not exist any more, and for one of somebody else. */
  async find(principal: HubPrincipal, id: string): Promise<HeldTaskRow | undefined> {
    const { database, clock } = this.#dependencies;
    const row = await database.read((sql) => findHeldTask(sql, toTaskOwner(principal), id));
    return row && row.expires_at_ms > clock.nowMs() ? row : undefined;
  }

  async list(principal: HubPrincipal): Promise<HeldTaskRow[]> {
    const { database, clock } = this.#dependencies;
    return database.read((sql) => listHeldTasks(sql, toTaskOwner(principal), clock.nowMs()));
  }

  /** Undefined for a task that has not ended, and for one that was cancelled. */
  readOutcome(row: HeldTaskRow): StoredOutcome | undefined {
    return this.#dependencies.seals.unsealOutcome(row);
  }

  /** Calls `listener` after each change of a task. Returns a function that stops it. */
  listen(id: string, listener: () => void): () => void {
    return this.#listeners.add(id, listener);
  }

  /** The task when it has ended; undefined if it no longer exists. Rejects when the signal is aborted. */
  async waitForEnd(principal: HubPrincipal, id: string, callSignal: AbortSignal): Promise<HeldTaskRow | undefined> {
    const signal = AbortSignal.any([callSignal, this.#closing.signal]);
    for (;;) {
      const { promise: change, resolve } = Promise.withResolvers<void>();
      const onAbort = (): void => resolve();
      const stop = this.listen(id, resolve);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        if (this.#closing.signal.aborted) throw await createStoppingError();
        callSignal.throwIfAborted();
        const row = await this.find(principal, id);
        if (!row || !isOpenTask(row)) return row;
        await change;
      } finally {
        stop();
        signal.removeEventListener('abort', onAbort);
      }
    }
  }

  /** Ends a task for its client: a call that waits is not sent, one that was sent is aborted. Returns false for one that has ended. */
  async cancel(row: HeldTaskRow): Promise<boolean> {
    const { database, clock, requests } = this.#dependencies;
    const end = { message: 'cancelled by its client', sealed_outcome: null, updated_at_ms: clock.nowMs() };
    const cancelled = await database.write((sql) =>
      (['waiting', 'sending'] as const).find((from) => endHeldTask(sql, row.id, from, { ...end, state: 'cancelled' })),
    );
    if (cancelled === undefined) return false;
    this.#controllers.get(row.id)?.abort(new Error('the task was cancelled'));
    this.notify({ ...row, ...end, state: 'cancelled' });
    if (cancelled === 'waiting') await requests.withdraw(row.hub_id, row.approval_id);
    return true;
  }

  /** Answers those who wait for an end; the tasks stay. */
  close(): void {
    this.#closing.abort();
  }

  /** Gives the work of a task a signal, which its cancellation aborts. */
  async withSignal<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#controllers.delete(id);
    }
  }

  /** A task has changed. */
  notify(row: HeldTaskRow): void {
    const sessionId = this.#sessions.get(row.id);
    if (sessionId !== undefined) this.#onStatus(sessionId, toTaskView(row));
    if (!isOpenTask(row)) this.#sessions.delete(row.id);
    this.lookAgain(row.id);
  }

  /** A task may have changed. */
  lookAgain(id: string): void {
    for (const listener of [...this.#listeners.get(id)]) listener();
  }
}

/** As long as its client of 2025-11-25 wants, but so that a late approval leaves time to read the result. */
function getTtlMs(task: unknown, validMs: number): number {
  const { ttl } = Object(task);
  const requestedMs = typeof ttl === 'number' && ttl > 0 ? Math.min(Math.floor(ttl), maxTtlMs) : 0;
  return Math.max(requestedMs, Math.max(validMs, 0) + minRetentionMs);
}

/** The MCP SDK was loaded when somebody began to wait, not before: the start of a control plane does without it. */
async function createStoppingError(): Promise<Error> {
  const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server');
  return new ProtocolError(ProtocolErrorCode.InternalError, 'the hub is stopping; read the result of the task later');
}
