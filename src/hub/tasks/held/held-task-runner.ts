/**
 * Goes on with tasks whose approval was decided: makes their calls, once, and stores what came of them. A call that this or an
 * earlier process began and did not end is not made again.
 */
import type { Clock } from '../../../environment/clock.ts';
import { vpError } from '../../../errors/vp-error.ts';
import type { ApprovalRow } from '../../../store/control/hubs/approvals.ts';
import {
  claimHeldTask,
  deleteExpiredHeldTasks,
  endHeldTask,
  type HeldTaskRow,
  listDecidedHeldTasks,
  listSendingHeldTasks,
  listWaitingHeldTasks,
} from '../../../store/control/hubs/held-tasks.ts';
import { repeatEvery } from '../../../timing/repeat.ts';
import type { HubPrincipal } from '../../access/principal.ts';
import type { FindStoredCaller } from '../../access/stored-caller.ts';
import { findProblem, toPolicyRefusal, toVoidError } from '../../approvals/approval-gate.ts';
import { toCallerPrincipal } from '../../approvals/approval-record.ts';
import type { ApprovalRequests } from '../../approvals/approval-requests.ts';
import type { CallContext } from '../../gateway/call-context.ts';
import type { McpResult } from '../../gateway/pending-calls.ts';
import { createRefusalResult } from '../../gateway/refusal-result.ts';
import { internalErrorCode, isProtocolError } from '../../protocol/protocol-errors.ts';
import type { StoredCall, TaskOutcome } from './held-task-record.ts';
import type { HeldTasks, HeldTasksDependencies } from './held-tasks.ts';

/** Calls a tool by its public name. `text` is the result as it would be sent. */
export type CallHeldTool = (
  context: CallContext,
  call: { readonly name: string; readonly arguments: Record<string, unknown> },
) => Promise<{ readonly result: McpResult; readonly text: string }>;

export type HeldTaskRunnerDependencies = Pick<HeldTasksDependencies, 'database' | 'seals'> & {
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  readonly tasks: HeldTasks;
  readonly requests: Pick<ApprovalRequests, 'find' | 'inTurn' | 'endIfChanged' | 'waiters'>;
  readonly findCaller: FindStoredCaller;
  readonly callTool: CallHeldTool;
  /** False while the clock cannot be trusted. */
  readonly mayDeleteByAge: () => boolean;
  readonly onError: (error: unknown) => void;
};

const sweepIntervalMs = 5_000;
const maxSwept = 200;
const maxResultBytes = 1_048_576;

export class HeldTaskRunner {
  readonly #dependencies: HeldTaskRunnerDependencies;
  readonly #running = new Map<string, Promise<void>>();
  /** Of these something was decided after they had looked at it. */
  readonly #missed = new Set<string>();
  readonly #stops: (() => void)[];
  #isClosed = false;

  constructor(dependencies: HeldTaskRunnerDependencies) {
    const { tasks, requests, clock, onError, database } = dependencies;
    this.#dependencies = dependencies;
    tasks.onStarted = (row) => this.#advance(row);
    const onDecided = async (approvalId: string): Promise<void> => {
      for (const row of await database.read((sql) => listWaitingHeldTasks(sql, approvalId))) this.#advance(row);
    };
    this.#stops = [
      requests.waiters.onChange((approvalId) => void onDecided(approvalId).catch(onError)),
      repeatEvery(clock, sweepIntervalMs, () => this.sweep(), onError),
    ];
  }

  /** Ends what an earlier process left, and goes on with what was decided meanwhile. */
  async sweep(): Promise<void> {
    const { database, clock, mayDeleteByAge } = this.#dependencies;
    const [sending, decided] = await Promise.all([
      database.read(listSendingHeldTasks),
      database.read((sql) => listDecidedHeldTasks(sql, maxSwept)),
    ]);
    for (const row of sending) if (!this.#running.has(row.id)) await this.#endInterrupted(row);
    for (const row of decided) this.#advance(row);
    if (mayDeleteByAge()) await database.write((sql) => deleteExpiredHeldTasks(sql, clock.nowMs()));
  }

  /** No further call is made. Call it before the gateway ends its calls, and {@link settle} after. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
  }

  /** Resolves when the calls that were being made have ended. */
  async settle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  #advance(row: HeldTaskRow): void {
    if (this.#isClosed) return;
    if (this.#running.has(row.id)) {
      this.#missed.add(row.id);
      return;
    }
    const { onError, tasks } = this.#dependencies;
    const work = this.#goOn(row)
      .catch((error: unknown) => {
        onError(error);
        // The outcome may be stored without anybody knowing.
        tasks.lookAgain(row.id);
      })
      .finally(() => {
        this.#running.delete(row.id);
        if (this.#missed.delete(row.id)) this.#advance(row);
      });
    this.#running.set(row.id, work);
  }

  async #goOn(row: HeldTaskRow): Promise<void> {
    const { requests, findCaller, seals, database, clock, tasks } = this.#dependencies;
    const approval = await requests.find(row.hub_id, row.approval_id);
    if (approval?.state === 'pending') return;
    if (!approval) {
      const error = vpError('HUB_APPROVAL_VOID', { approval: row.approval_id, problem: 'it does not exist' });
      return this.#end(row, 'waiting', toRefusalOutcome(error));
    }
    const change = await requests.inTurn(async () =>
      approval.state === 'approved' ? requests.endIfChanged(approval) : undefined,
    );
    const problem = change === undefined ? findProblem(approval) : toVoidError(approval, change);
    if (problem) return this.#end(row, 'waiting', toRefusalOutcome(problem, approval));
    const caller = await findCaller(toTaskCaller(row, approval));
    const call = seals.unsealCall(row);
    if (!caller || !call) {
      const reason = caller ? 'the stored call cannot be read' : 'the caller is no longer authenticated';
      return this.#end(row, 'waiting', toRefusalOutcome(toVoidError(approval, reason), approval));
    }
    const claim = { message: 'approved, and being sent', atMs: clock.nowMs() };
    if (!(await database.write((sql) => claimHeldTask(sql, row.id, claim.message, claim.atMs)))) return;
    tasks.notify({ ...row, state: 'sending', message: claim.message, updated_at_ms: claim.atMs });
    await this.#end(row, 'sending', await tasks.withSignal(row.id, (signal) => this.#send(row, caller, call, signal)));
  }

  async #send(
    row: HeldTaskRow,
    caller: HubPrincipal,
    { name, arguments: args, ...call }: StoredCall,
    signal: AbortSignal,
  ): Promise<TaskOutcome> {
    const { callTool, onError, findCaller } = this.#dependencies;
    const principal = call.hubPath ? { ...caller, hubPath: call.hubPath } : caller;
    const context: CallContext = {
      ...{ principal, requestId: call.requestId, requestBytes: call.requestBytes, meta: call.meta },
      exactArguments: call.exactArguments,
      headers: new Headers(),
      authenticate: () => findCaller(caller),
      // As for a client that knows no tasks and answers no questions: it is not there.
      ...{ era: 'older', capabilities: {}, ask: undefined, notify: () => {}, progressToken: undefined },
      ...{ signal, logLevel: undefined, inputResponses: undefined, requestState: undefined },
      approvedTask: { approvalId: row.approval_id, task: call.task },
    };
    try {
      const { result, text } = await callTool(context, { name, arguments: args });
      if (result.resultType !== undefined && result.resultType !== 'complete')
        return toFailure(
          'The call was sent, and its server asked for input, which a task that was approved cannot give',
        );
      const bytes = Buffer.byteLength(text);
      if (bytes <= maxResultBytes) return { kind: 'result', text, isError: result.isError === true };
      return toFailure(`The call was made. Its result of ${bytes} bytes is too large to be stored until it is read`);
    } catch (error) {
      if (!isProtocolError(error)) {
        onError(error);
        return { kind: 'error', code: internalErrorCode, message: 'the hub failed' };
      }
      const { code, message, data } = error;
      return { kind: 'error', code, message, ...(data === undefined ? {} : { data }) };
    }
  }

  /** Whether the call was made is known only if its approval was not used. */
  async #endInterrupted(row: HeldTaskRow): Promise<void> {
    const approval = await this.#dependencies.requests.find(row.hub_id, row.approval_id);
    const isUnsent = approval?.state === 'approved';
    const text = isUnsent
      ? 'The hub stopped before the call was sent. Make the call again'
      : 'The hub stopped while the call was being made: look whether its server has done it. The hub does not send it again';
    await this.#end(row, 'sending', toFailure(text));
  }

  /** Nothing is changed if the task has ended meanwhile. */
  async #end(row: HeldTaskRow, from: 'waiting' | 'sending', outcome: TaskOutcome): Promise<void> {
    const { database, clock, seals, tasks } = this.#dependencies;
    // In the newest revision, a result that says that its tool failed is a result like any other.
    const isFailed = outcome.kind === 'error' || (outcome.isError && row.era === 'older');
    const end = {
      state: isFailed ? 'failed' : 'completed',
      message: describeOutcome(outcome),
      sealed_outcome: seals.sealOutcome(row.id, outcome),
      updated_at_ms: clock.nowMs(),
    } as const;
    if (await database.write((sql) => endHeldTask(sql, row.id, from, end))) tasks.notify({ ...row, ...end });
  }
}

/** With the credential of the grant, which the approval does not know. */
function toTaskCaller({ grant_credential: credentialId }: HeldTaskRow, approval: ApprovalRow): HubPrincipal {
  const principal = toCallerPrincipal(approval);
  const { via } = principal;
  return via.kind === 'grant' && credentialId !== null ? { ...principal, via: { ...via, credentialId } } : principal;
}

function toRefusalOutcome(error: ReturnType<typeof vpError>, approval?: ApprovalRow): TaskOutcome {
  const text = JSON.stringify(createRefusalResult(toPolicyRefusal(error, approval)));
  return { kind: 'result', text, isError: true };
}

function toFailure(text: string): TaskOutcome {
  return {
    kind: 'result',
    text: JSON.stringify({ content: [{ type: 'text', text: `${text}.` }], isError: true }),
    isError: true,
  };
}

/** One sentence without anything of the server. */
function describeOutcome(outcome: TaskOutcome): string {
  if (outcome.kind === 'error') return 'the call failed';
  return outcome.isError ? 'the call was refused, or its tool failed; the result says why' : 'the call was made';
}
