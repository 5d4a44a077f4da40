/**
 * Calls through a hub: resolved, decided by the policy, forwarded, and recorded in the audit before the response
 * leaves.
 *
 * Length: each kind of call takes these steps in the same order, which is read together.
 */
import {
  type CompleteRequest,
  type GetPromptRequest,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceRequest,
} from '@modelcontextprotocol/server';
import { toVpError, type VpError, vpError } from '../../errors/vp-error.ts';
import { hasMembers } from '../../json/json-object.ts';
import { type JsonParts, joinParts } from '../../json/json-parts.ts';
import type { ApprovalRow } from '../../store/control/hubs/approvals.ts';
import type { ApprovalGate } from '../approvals/approval-gate.ts';
import type { AuditOutcome } from '../audit/audit-entry.ts';
import {
  type BudgetWarning,
  completeArguments,
  type Decision,
  digestOnly,
  type PolicyCall,
  type Redaction,
  unlimitedCall,
} from '../policy/call-policy.ts';
import type { HeldTasks } from '../tasks/held/held-tasks.ts';
import { createNoTaskError } from '../tasks/task-publisher.ts';
import { canRunAsTask, createTaskParts, type TaskParams, type ToolTaskDependencies } from '../tasks/tool-tasks.ts';
import type { CallContext } from './call-context.ts';
import { type AuditDetails, CallForwarder, type CallForwarderDependencies } from './call-forwarder.ts';
import { refuseToolCall } from './call-refusal.ts';
import type { HubCatalogue } from './catalogue.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type HubToolCallDependencies, HubToolCalls } from './hub-tool-calls.ts';
import { createParamHeaders } from './param-headers.ts';
import type { McpResult } from './pending-calls.ts';
import { toProtocolError } from './protocol-error.ts';
import { toPublicUri } from './public-names.ts';
import { formatRefusal } from './refusal-result.ts';
import type { ResolvedCall, ToolRequest } from './resolved-call.ts';

type HubCallServiceDependencies = CallForwarderDependencies &
  HubToolCallDependencies &
  Pick<GatewayOptions, 'policy'> & {
    readonly catalogue: Pick<HubCatalogue, 'findTool' | 'findPrompt' | 'findResource'>;
    /** Undefined where calls that need an approval are refused. */
    readonly approvals?: ApprovalGate | undefined;
    /** Undefined where clients wait themselves for approvals. */
    readonly heldTasks?: Pick<HeldTasks, 'canStart' | 'start'> | undefined;
    /** Undefined where no server has tasks. */
    readonly toolTasks?: ToolTaskDependencies;
  };

/** `name` is public. */
type CalledTool = { readonly name: string; readonly task: TaskParams | undefined };

export class HubCallService {
  readonly #dependencies: HubCallServiceDependencies;
  readonly #forwarder: CallForwarder;
  readonly #hubToolCalls: HubToolCalls;

  constructor(dependencies: HubCallServiceDependencies) {
    this.#dependencies = dependencies;
    this.#forwarder = new CallForwarder(dependencies);
    this.#hubToolCalls = new HubToolCalls(dependencies, this.#forwarder);
  }

  async callTool(
    context: CallContext,
    { name, arguments: args = {}, task, resolved: found }: ToolRequest,
  ): Promise<McpResult> {
    const method = 'tools/call';
    const hubToolCall = this.#hubToolCalls.call(context, name, args);
    if (hubToolCall) return hubToolCall;
    const resolved =
      found ??
      (await this.resolve(context, method, name, args, () =>
        this.#dependencies.catalogue.findTool(context.principal, name),
      ));
    const { connection, original } = resolved;
    const tool = original.name;
    // The memory service reads values and not text.
    const exactArguments = connection.kind === 'memory' ? undefined : context.exactArguments;
    const argumentText = connection.kind === 'memory' ? undefined : context.sentArguments;
    const argumentBytes = argumentText && Buffer.byteLength(argumentText.text);
    const policyCall: PolicyCall = {
      ...this.#getPolicyParts(context),
      connection,
      tool,
      original,
      arguments: args,
      exactArguments,
      argumentBytes,
    };
    const decision = await this.#decide(context, policyCall, method, { name, task });
    const recordedArguments = exactArguments ?? args;
    if (!decision.allowed)
      return refuseToolCall(this.#forwarder, context, { connection, tool, arguments: recordedArguments }, decision);
    const headers = createParamHeaders(original, args);
    // What somebody has approved is sent as the value that was shown.
    const sentArguments = decision.isApproved ? recordedArguments : (argumentText ?? recordedArguments);
    const params = task ? { name: tool, arguments: sentArguments, task } : { name: tool, arguments: sentArguments };
    const { limits, release, budget, redact, decideAnswer } = decision;
    if (task && !canRunAsTask(original)) {
      release?.();
      budget?.cancel();
      return this.#refuseTask(context, { connection, tool, arguments: recordedArguments, redact });
    }
    const { toolTasks } = this.#dependencies;
    const hasTasks = toolTasks !== undefined && connection.kind !== 'memory';
    const taskParts = hasTasks ? createTaskParts(toolTasks, context, resolved, task) : undefined;
    const { upstream } = resolved;
    const call: ResolvedCall = {
      connection,
      upstream,
      original,
      method,
      name: tool,
      params,
      arguments: args,
      exactArguments,
      headers,
      limits,
      release,
      budget,
      decideAnswer,
      mapResult: taskParts?.mapResult,
      sendCall: taskParts?.sendCall,
    };
    return await this.#forwarder.forward(context, call, redact);
  }

  /** The budget that the call of a result returned here brought near its end, if any. */
  getBudgetWarning(result: McpResult): BudgetWarning | undefined {
    return this.#forwarder.getBudgetWarning(result);
  }

  /** The JSON text of a result returned here, if available. */
  getResultText(result: McpResult): string | undefined {
    const parts = this.getResultParts(result);
    return parts && joinParts(parts);
  }

  /** The parts that {@link getResultText} joins. */
  getResultParts(result: McpResult): JsonParts | undefined {
    return this.#forwarder.getResultParts(result);
  }

  async getPrompt(context: CallContext, { name, arguments: args }: GetPromptRequest['params']): Promise<McpResult> {
    const method = 'prompts/get';
    const resolved = await this.resolve(context, method, name, args, () =>
      this.#dependencies.catalogue.findPrompt(context.principal, name),
    );
    const params = { name: resolved.original.name, ...(args ? { arguments: args } : {}) };
    return this.forwardAdmitted(
      context,
      { ...resolved, method, name: resolved.original.name, params, arguments: args },
      digestOnly,
    );
  }

  async readResource(context: CallContext, { uri }: ReadResourceRequest['params']): Promise<McpResult> {
    const method = 'resources/read';
    const resolved = await this.resolve(context, method, uri, { uri }, () =>
      this.#dependencies.catalogue.findResource(context.principal, uri),
    );
    const params = { uri: resolved.uri };
    return this.forwardAdmitted(
      context,
      { ...resolved, method, name: resolved.uri, params, arguments: params },
      completeArguments,
    );
  }

  async complete(
    context: CallContext,
    { ref, argument, context: completionContext }: CompleteRequest['params'],
  ): Promise<McpResult> {
    const method = 'completion/complete';
    const { catalogue } = this.#dependencies;
    const { principal } = context;
    const rest = { argument, ...(completionContext ? { context: completionContext } : {}) };
    if (ref.type === 'ref/prompt') {
      const resolved = await this.resolve(context, method, ref.name, argument, () =>
        catalogue.findPrompt(principal, ref.name),
      );
      const { name } = resolved.original;
      const params = { ref: { type: ref.type, name }, ...rest };
      const ruleArguments = { ...completionContext?.arguments, [argument.name]: argument.value };
      const call = { ...resolved, method, name, params, arguments: argument, ruleArguments };
      return this.forwardAdmitted(context, call, digestOnly);
    }
    const resolved = await this.resolve(context, method, ref.uri, argument, () =>
      catalogue.findResource(principal, ref.uri),
    );
    const params = { ref: { type: ref.type, uri: resolved.uri }, ...rest };
    return this.forwardAdmitted(
      context,
      { ...resolved, method, name: resolved.uri, params, arguments: argument },
      digestOnly,
    );
  }

  /** Prompts, resources and completions are counted and limited like tools. */
  async forwardAdmitted(context: CallContext, resolved: ResolvedCall, redaction: Redaction): Promise<McpResult> {
    const { method, connection, name: tool, arguments: args } = resolved;
    const { isListed, original, ruleArguments } = resolved;
    const policyCall: PolicyCall = {
      ...this.#getPolicyParts(context),
      connection,
      tool,
      original,
      arguments: args,
      ruleArguments,
      ...(isListed === undefined ? {} : { isListed }),
    };
    const decision = await this.#decide(context, policyCall, method);
    const redact = decision.redact?.keep === false ? digestOnly : redaction;
    if (decision.allowed) {
      const { limits, release, budget, decideAnswer } = decision;
      return this.#forwarder.forward(context, { ...resolved, limits, release, budget, decideAnswer }, redact);
    }
    const { reason, cure, details: extra } = decision;
    const details = { method, connection, tool, arguments: args, redact, outcome: 'denied', reason } as const;
    await this.#forwarder.recordEnded(context, details);
    // The caller's URI, as an error about a resource has it (SEP-2164).
    const uri = isListed === undefined ? {} : { uri: toPublicUri(connection.name, tool) };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, formatRefusal(decision), {
      ...uri,
      reason,
      cure,
      ...extra,
    });
  }

  /** If the policy cannot be read, the call is refused. */
  async #decide(context: CallContext, policyCall: PolicyCall, method: string, tool?: CalledTool): Promise<Decision> {
    const { policy } = this.#dependencies;
    let decision: Decision | undefined;
    try {
      decision =
        method === 'tools/call'
          ? await this.#decideTool(context, policyCall, tool)
          : method.startsWith('tasks/')
            ? ((await policy.decideTask?.(policyCall)) ?? unlimitedCall)
            : ((await policy.admit?.(policyCall)) ?? unlimitedCall);
      if (policyCall.meta ?? policyCall.answers)
        await this.#forwarder.recordParts(context, policyCall, method, decision);
      return decision;
    } catch (error) {
      if (decision?.allowed) {
        decision.release?.();
        decision.budget?.cancel();
      }
      const { connection, tool } = policyCall;
      const args = policyCall.exactArguments ?? policyCall.arguments;
      const counts = 'nothing' as const;
      const details = { method, connection, tool, arguments: args, redact: digestOnly, counts };
      const outcome = context.signal.aborted ? 'cancelled' : 'failed';
      await this.#forwarder.recordEnded(context, { ...details, outcome, reason: toVpError(error).code });
      throw toProtocolError(error);
    }
  }

  /** Without `_meta` where the client sent nothing in it that is forwarded. */
  #getPolicyParts(context: CallContext): Pick<PolicyCall, PolicyPart> {
    const { principal, meta, inputResponses, trialDigest, requestState } = context;
    const isContinuation = this.#dependencies.pendingCalls.isOwnState(requestState);
    const sentMeta = hasMembers(meta) ? meta : undefined;
    return { principal, meta: sentMeta, answers: inputResponses, trialDigest, isContinuation };
  }

  /** A call that a rule holds passes with an approval only. */
  async #decideTool(context: CallContext, call: PolicyCall, tool: CalledTool | undefined): Promise<Decision> {
    const { name = '', task } = tool ?? {};
    const { policy, approvals, pendingCalls } = this.#dependencies;
    const refusal = await policy.decide(call);
    if (refusal.allowed || !refusal.approval || !approvals) return refusal;
    const { approval } = refusal;
    // Continues a call that was sent, with the same arguments; without such a call nothing is sent.
    if (pendingCalls.isOwnState(context.requestState)) return approval.allow();
    const decideAgain = async () => {
      const { principal } = call;
      const { authenticate = async () => principal } = context;
      const current = await authenticate();
      if (!current) return undefined;
      const again = { ...call, principal: { ...principal, role: current.role } };
      return { decision: await policy.decide(again), call: again };
    };
    const { heldTasks } = this.#dependencies;
    const startTask = heldTasks?.canStart(context, task)
      ? (row: ApprovalRow) => heldTasks.start(context, { name, arguments: call.arguments, task }, row)
      : undefined;
    const gated = { context, call, task: context.approvedTask?.task ?? task, startTask, decideAgain };
    const decision = await approvals.pass({ ...gated, refusal: { ...refusal, approval } });
    return decision.allowed ? { ...decision, isApproved: true } : decision;
  }

  /** Returns the match, or records the refusal and throws. */
  async resolve<F>(
    context: CallContext,
    method: string,
    name: string,
    args: unknown,
    lookUp: () => Promise<F | undefined>,
    createUnknownError = (): VpError => vpError('HUB_TOOL_UNKNOWN', { name: name.slice(0, 100) }),
  ): Promise<F> {
    const startedAtMs = this.#dependencies.clock.monotonicMs();
    const auditAndThrow = async (error: VpError, outcome: AuditOutcome): Promise<never> => {
      const details = { method, connection: undefined, tool: name, arguments: args, redact: digestOnly };
      await this.#forwarder.record(context, { ...details, outcome, reason: error.code }, startedAtMs, 0);
      throw toProtocolError(error);
    };
    const match = await lookUp().catch((error: unknown) => auditAndThrow(toVpError(error), 'failed'));
    return match ?? auditAndThrow(createUnknownError(), 'denied');
  }

  async #refuseTask(
    context: CallContext,
    call: Pick<AuditDetails, 'connection' | 'arguments' | 'redact'> & { readonly tool: string },
  ): Promise<never> {
    const error = createNoTaskError(call.tool);
    const details = { method: 'tools/call', ...call, outcome: 'denied', reason: error.message } as const;
    await this.#forwarder.recordEnded(context, details);
    throw error;
  }
}

type PolicyPart = 'principal' | 'meta' | 'answers' | 'trialDigest' | 'isContinuation';
