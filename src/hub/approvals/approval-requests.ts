/**
 * Approvals on the side of the caller: a request is opened for a call, waited for, used once, withdrawn or expired.
 *
 *     pending ─► approved ─► used
 *        │           ├─────► expired, withdrawn, void (its approver, the policy or the definition changed)
 *        ├─► denied ─► expired (until then the same call is denied without a new request)
 *        └─► expired, withdrawn, void
 *
 * Steps run one after the other, so that the audit and the store tell the same. A use is stored before it is recorded: what fails
 * in between costs the caller an approval, and never sends a call twice.
 */
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { SealingKey } from '../../secrets/sealing.ts';
import {
  type ApprovalRow,
  deleteEndedApprovals,
  endApproval,
  findApproval,
  findOpenApproval,
  insertApproval,
  listExpiredApprovals,
  listUnusedApprovals,
} from '../../store/control/hubs/approvals.ts';
import { listWaitingHeldTasks } from '../../store/control/hubs/held-tasks.ts';
import type { Database } from '../../store/database.ts';
import { repeatEvery } from '../../timing/repeat.ts';
import type { AuditSink } from '../audit/audit-entry.ts';
import { redactArguments } from '../audit/redacted-arguments.ts';
import type { ApprovalRequirement, PolicyCall, Redaction } from '../policy/call-policy.ts';
import { type ApprovalEvent, createApprovalEntry } from './approval-audit.ts';
import { digestBinding, digestCall } from './approval-binding.ts';
import { approvalLimits, assertMayRequest, findChange, findUseProblem } from './approval-checks.ts';
import { sealCall, toCallerPrincipal, toSubject } from './approval-record.ts';
import { getApprovalTimes } from './approval-rules.ts';
import { ApprovalWaiters } from './approval-waiters.ts';

export type ApprovalDependencies = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly audit: Pick<AuditSink, 'record' | 'ready'>;
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  readonly random: Random;
  /** Seals the calls. */
  readonly dataKey: SealingKey;
  /** Called after a request was stored. */
  readonly onRequested?: ((row: ApprovalRow) => void) | undefined;
  readonly onError: (error: unknown) => void;
};

/** A call that a rule holds. `callText` is what its server would get. */
export type HeldCall = Pick<PolicyCall, 'principal' | 'connection' | 'tool' | 'arguments'> & {
  readonly callText: string;
  readonly requirement: ApprovalRequirement;
  readonly redact: Redaction;
  readonly requestId: string | undefined;
};

const sweepIntervalMs = 5_000;
/** Others are examined when somebody decides or uses them. */
const maxSwept = 500;
const retentionMs = 30 * 86_400_000;

export class ApprovalRequests {
  readonly waiters: ApprovalWaiters;
  readonly #dependencies: ApprovalDependencies;
  readonly #stopSweep: () => void;
  #lastStep: Promise<unknown> = Promise.resolve();

  constructor(dependencies: ApprovalDependencies) {
    const { clock, onError } = dependencies;
    this.#dependencies = dependencies;
    this.waiters = new ApprovalWaiters(clock);
    this.#stopSweep = repeatEvery(clock, sweepIntervalMs, () => this.endDue(), onError);
  }

  /** Runs a step when those before it have ended. */
  inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#lastStep.then(step, step);
    this.#lastStep = result.catch(() => undefined);
    return result;
  }

  /**
   * The open request of exactly this call, or a new one. Throws HUB_APPROVALS_LIMITED, HUB_APPROVER_MISSING,
   * HUB_APPROVAL_TOO_LARGE, AUDIT_UNAVAILABLE.
   */
  async open(call: HeldCall): Promise<ApprovalRow> {
    if (call.callText.length > approvalLimits.callChars) throw vpError('HUB_APPROVAL_TOO_LARGE', {});
    return this.inTurn(async () => {
      const { database, clock } = this.#dependencies;
      const { hub } = call.principal;
      const binding = getBinding(call);
      const open = await database.read((sql) => findOpenApproval(sql, hub.id, binding));
      if (open && open.expires_at_ms > clock.nowMs()) return open;
      if (open) await this.#end(open, 'expired');
      return this.#create(call, binding);
    });
  }

  async find(hubId: string, id: string): Promise<ApprovalRow | undefined> {
    return this.#dependencies.database.read((sql) => findApproval(sql, hubId, id));
  }

  /**
   * Uses an approval up for this call. Returns why it does not hold, or undefined: the call may be sent once. Rejects with
   * AUDIT_UNAVAILABLE.
   */
  use(id: string, call: HeldCall): Promise<string | undefined> {
    const { database, audit, clock } = this.#dependencies;
    const { principal, requirement, requestId } = call;
    return this.inTurn(async () => {
      audit.ready?.();
      const row = await this.find(principal.hub.id, id);
      if (row?.state !== 'approved') return 'it was used, withdrawn or taken back';
      if (row.binding !== getBinding(call)) return 'the policy, the definition of the tool or its server changed';
      if (row.expires_at_ms <= clock.nowMs()) {
        await this.#end(row, 'expired');
        return 'it has expired';
      }
      const problem = await database.write((sql) => {
        const useProblem = findUseProblem(sql, row, requirement.rules);
        if (useProblem !== undefined) return useProblem;
        return endApproval(sql, id, 'approved', 'used', clock.nowMs()) ? undefined : 'it was used';
      });
      if (problem === undefined)
        await audit.record(
          createApprovalEntry(clock, 'used', row, { principal, requestId, note: `by ${row.decided_by}` }),
        );
      else await this.#end(row, 'void', problem);
      return problem;
    });
  }

  /** Ends a request whose caller gave up, unless another call or a task waits for it, or the process is ending. */
  withdraw(hubId: string, id: string): Promise<void> {
    return this.inTurn(async () => {
      if (this.waiters.isClosed || this.waiters.has(id)) return;
      const { database } = this.#dependencies;
      if ((await database.read((sql) => listWaitingHeldTasks(sql, id))).length > 0) return;
      const row = await this.find(hubId, id);
      if (row && (row.state === 'pending' || row.state === 'approved')) await this.#end(row, 'withdrawn');
    });
  }

  /** Ends a request that no call can use any more, and returns why. Call it within {@link inTurn}. */
  async endIfChanged(row: ApprovalRow): Promise<string | undefined> {
    const problem = await this.#dependencies.database.read((sql) => findChange(sql, row));
    if (problem !== undefined) await this.#end(row, 'void', problem);
    return problem;
  }

  /** Ends what has expired, and what no call can use any more. */
  endDue(): Promise<void> {
    const { database, clock } = this.#dependencies;
    return this.inTurn(async () => {
      for (const row of await database.read((sql) => listExpiredApprovals(sql, clock.nowMs())))
        await this.#end(row, 'expired');
      for (const row of await database.read((sql) => listUnusedApprovals(sql, maxSwept))) await this.endIfChanged(row);
    });
  }

  /** Answers held calls; their requests stay for the next process. */
  async close(): Promise<void> {
    this.#stopSweep();
    this.waiters.close();
    await this.#lastStep;
  }

  async #create(call: HeldCall, binding: string): Promise<ApprovalRow> {
    const { database, audit, clock, random, dataKey, onRequested } = this.#dependencies;
    const { principal, connection, tool, requirement, callText, requestId, redact } = call;
    await database.read((sql) => assertMayRequest(sql, principal, requirement.rules));
    const id = Buffer.from(random.bytes(9)).toString('hex');
    const nowMs = clock.nowMs();
    const row: ApprovalRow = {
      ...{ id, hub_id: principal.hub.id, state: 'pending', binding, call_digest: digestCall(callText) },
      ...{ person_id: principal.person.personId, connection: connection.name, tool },
      subject: JSON.stringify(toSubject(principal, connection.id, requirement.pin)),
      policy_revision: requirement.policyRevision,
      sealed_call: sealCall(dataKey, id, callText, random),
      stored_arguments: redactArguments(call.arguments, redact) ?? null,
      requested_at_ms: nowMs,
      expires_at_ms: nowMs + getApprovalTimes(requirement.rules).validMs,
      ...{ decided_at_ms: null, decided_by_id: null, decided_by: null, comment: null, ended_at_ms: null },
    };
    audit.ready?.();
    await audit.record(
      createApprovalEntry(clock, 'requested', row, { principal, requestId, arguments: call.arguments, redact }),
    );
    await database.write((sql) => {
      deleteEndedApprovals(sql, nowMs - retentionMs);
      insertApproval(sql, row);
    });
    onRequested?.(row);
    return row;
  }

  async #end(row: ApprovalRow, to: Extract<ApprovalEvent, 'expired' | 'withdrawn' | 'void'>, note?: string) {
    const { database, audit, clock } = this.#dependencies;
    await audit.record(createApprovalEntry(clock, to, row, { principal: toCallerPrincipal(row), note }));
    await database.write((sql) => endApproval(sql, row.id, row.state, to, clock.nowMs()));
    this.waiters.wake(row.id);
  }
}

function getBinding({ requirement, callText, ...call }: HeldCall): string {
  return digestBinding(call, requirement, digestCall(callText));
}
