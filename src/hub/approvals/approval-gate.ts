/** Holds a call until it is approved, denied, or has waited long enough; an approved one goes on once. */
import { toVpError, VpError, vpError } from '../../errors/vp-error.ts';
import { toExactMembers, toExactValue } from '../../json/exact-values.ts';
import type { ApprovalRow } from '../../store/control/hubs/approvals.ts';
import type { CallContext } from '../gateway/call-context.ts';
import {
  type ApprovalRequirement,
  type Decision,
  digestOnly,
  type PolicyCall,
  type PolicyRefusal,
} from '../policy/call-policy.ts';
import { type ApprovalCall, serializeCall } from './approval-binding.ts';
import type { ApprovalRequests, HeldCall } from './approval-requests.ts';
import { getApprovalTimes } from './approval-rules.ts';

type RefusedDecision = Extract<Decision, { readonly allowed: false }>;

export type GatedCall = {
  readonly context: CallContext;
  readonly call: PolicyCall;
  /** How the call runs as a task. */
  readonly task: unknown;
  /** The refusal of the policy, which an approval may lift. */
  readonly refusal: RefusedDecision & { readonly approval: ApprovalRequirement };
  /** Lets the call wait as a task, whose description it returns; undefined for a client that waits itself. */
  readonly startTask?: ((row: ApprovalRow) => Promise<Record<string, unknown>>) | undefined;
  /** Decides the call again for the caller as it is now; undefined if it is no longer authenticated. */
  decideAgain(): Promise<{ readonly decision: Decision; readonly call: PolicyCall } | undefined>;
};

export type ApprovalGate = { pass(call: GatedCall): Promise<Decision> };

const progressIntervalMs = 10_000;
/** Below what servers report, because progress must increase and theirs follows. */
const progressStep = 0.000_001;

export function createApprovalGate(
  requests: Pick<ApprovalRequests, 'open' | 'find' | 'use' | 'withdraw' | 'waiters'>,
): ApprovalGate {
  return {
    async pass(gated) {
      const { context, refusal, task, startTask } = gated;
      if (context.approvedTask) return passTask(requests, gated, context.approvedTask.approvalId);
      const held = toHeldCall(gated, gated.call, refusal.approval);
      const { holdMs } = getApprovalTimes(refusal.approval.rules);
      const opened = await requests.open(held).catch(toRefusal);
      if (opened instanceof VpError) return refuse(refusal, opened);
      if (startTask && (opened.state === 'pending' || task !== undefined)) {
        const startedTask = await startTask(opened).catch(toRefusal);
        return startedTask instanceof VpError ? refuse(refusal, startedTask) : { ...toPlain(refusal), startedTask };
      }
      if (opened.state !== 'pending') return decideHeld(requests, gated, held, opened);
      await hold(requests, opened, holdMs, context);
      const row = (await requests.find(opened.hub_id, opened.id)) ?? opened;
      if (context.signal.aborted) {
        await requests.withdraw(row.hub_id, row.id);
        throw context.signal.reason;
      }
      if (row.state !== 'approved') return decideHeld(requests, gated, held, row);
      return passAgain(requests, gated, row);
    },
  };
}

/** The call of a task whose approval was decided; its client does not wait for the response. */
async function passTask(
  requests: Pick<ApprovalRequests, 'find' | 'use'>,
  gated: GatedCall,
  approvalId: string,
): Promise<Decision> {
  const held = toHeldCall(gated, gated.call, gated.refusal.approval);
  const row = await requests.find(held.principal.hub.id, approvalId);
  if (row) return decideHeld(requests, gated, held, row);
  return refuse(gated.refusal, vpError('HUB_APPROVAL_VOID', { approval: approvalId, problem: 'it does not exist' }));
}

/** The caller learns why nobody can be requested to approve its call. Rejects with other errors. */
function toRefusal(error: unknown): VpError {
  const known = toVpError(error);
  if (known.code.startsWith('HUB_APPROV')) return known;
  throw error;
}

/** Much may have changed while the call was held: it is decided again. */
async function passAgain(
  requests: Pick<ApprovalRequests, 'find' | 'use'>,
  gated: GatedCall,
  row: ApprovalRow,
): Promise<Decision> {
  const again = await gated.decideAgain();
  if (!again) return refuse(gated.refusal, toVoidError(row, 'the caller is no longer authenticated'));
  const { decision, call } = again;
  if (decision.allowed || !decision.approval) return decision;
  return decideHeld(requests, gated, toHeldCall(gated, call, decision.approval), row);
}

async function decideHeld(
  requests: Pick<ApprovalRequests, 'find' | 'use'>,
  { refusal }: GatedCall,
  held: HeldCall,
  row: ApprovalRow,
): Promise<Decision> {
  const problem = findProblem(row);
  if (problem) return refuse(refusal, problem, row);
  const decision = held.requirement.allow();
  if (!decision.allowed) return decision;
  try {
    const change = await requests.use(row.id, held);
    if (change === undefined) return decision;
    decision.release?.();
    decision.budget?.cancel();
    // Another approver may have taken it back in the meantime.
    const current = await requests.find(row.hub_id, row.id);
    const denial = current?.state === 'denied' ? findProblem(current) : undefined;
    return refuse(refusal, denial ?? toVoidError(row, change), current ?? row);
  } catch (error) {
    decision.release?.();
    decision.budget?.cancel();
    throw error;
  }
}

/** Why no call can be sent with this approval; undefined if one can. */
export function findProblem(row: ApprovalRow): VpError | undefined {
  const { id: approval, state } = row;
  const until = new Date(row.expires_at_ms).toISOString();
  if (state === 'approved') return undefined;
  if (state === 'pending') return vpError('HUB_APPROVAL_PENDING', { approval, until });
  if (state !== 'denied') return toVoidError(row, endings[state]);
  const comment = row.comment === null || row.comment === '' ? '' : `: ${row.comment}`;
  return vpError('HUB_APPROVAL_DENIED', { approver: row.decided_by ?? '', comment, until });
}

export function toVoidError({ id }: ApprovalRow, problem: string): VpError {
  return vpError('HUB_APPROVAL_VOID', { approval: id, problem });
}

function refuse(refusal: RefusedDecision, error: VpError, row?: ApprovalRow): Decision {
  return { ...toPlain(refusal), ...toPolicyRefusal(error, row) };
}

/** Without the means to go on with an approval. */
function toPlain({ approval: _requirement, ...decision }: RefusedDecision): RefusedDecision {
  return decision;
}

export function toPolicyRefusal({ code, message, cure }: VpError, row?: ApprovalRow): PolicyRefusal {
  const approval = row && { approval: row.id, state: row.state, expires_at: new Date(row.expires_at_ms).toISOString() };
  return { reason: message, cure, details: { code, ...approval } };
}

function toHeldCall(
  { context, task, refusal }: GatedCall,
  call: PolicyCall,
  requirement: ApprovalRequirement,
): HeldCall {
  const { principal, connection, tool } = call;
  const sentArguments = call.exactArguments ?? call.arguments;
  const parts: ApprovalCall = {
    arguments: sentArguments,
    meta: toExactValue(call.meta),
    answers: call.answers && toExactMembers(call.answers),
    requestState: context.requestState,
    task,
  };
  const { redact = digestOnly } = refusal;
  const held = { principal, connection, tool, arguments: sentArguments, requirement, redact };
  return { ...held, callText: serializeCall(parts), requestId: context.requestId };
}

const endings = {
  used: 'it was used',
  expired: 'it has expired',
  withdrawn: 'it was withdrawn',
  void: 'the policy, the definition of the tool, its server or an approver changed',
} as const;

/** The caller hears from time to time that its call waits, if it wants progress. */
async function hold(
  { waiters }: Pick<ApprovalRequests, 'waiters'>,
  { id, person_id: personId, expires_at_ms: expiresAtMs, requested_at_ms: requestedAtMs }: ApprovalRow,
  holdMs: number,
  { signal, progressToken, notify }: CallContext,
): Promise<void> {
  const ended = new AbortController();
  const endedSignal = AbortSignal.any([signal, ended.signal]);
  const report = async (): Promise<void> => {
    for (let count = 1; !endedSignal.aborted; count += 1) {
      const message = `waits for the approval ${id}`;
      notify('notifications/progress', { progressToken, progress: count * progressStep, message });
      await waiters.pause(progressIntervalMs, endedSignal);
    }
  };
  if (progressToken !== undefined) void report();
  await waiters.wait(id, personId, Math.min(holdMs, expiresAtMs - requestedAtMs), signal);
  ended.abort();
}
