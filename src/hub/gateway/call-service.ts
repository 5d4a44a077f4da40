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
import { toVpError, VpError, vpError } from '../../errors/vp-error.ts';
import { hasMembers } from '../../json/json-object.ts';
import type { ApprovalRow } from '../../store/control/hubs/approvals.ts';
import type { ApprovalGate } from '../approvals/approval-gate.ts';
import type { ApprovalTools, AskPerson } from '../approvals/approval-tools.ts';
import type { AuditOutcome } from '../audit/audit-entry.ts';
import type { UpstreamConnection } from '../connections/connection.ts';
import type { BudgetWarning, Decision, PolicyCall, Redaction } from '../policy/call-policy.ts';
import type { HeldTasks } from '../tasks/held/held-tasks.ts';
import { createNoTaskError } from '../tasks/task-publisher.ts';
import { canRunAsTask, createTaskParts, type TaskParams, type ToolTaskDependencies } from '../tasks/tool-tasks.ts';
import { canShowForms } from '../upstream/upstream-call.ts';
import type { CallContext } from './call-context.ts';
import { type AuditDetails, CallForwarder, type CallForwarderDependencies } from './call-forwarder.ts';
import { createRefusalResult, formatRefusal } from './call-outcome.ts';
import type { HubCatalogue } from './catalogue.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type HubToolOutcome, type HubTools, runHubTool } from './hub-tools.ts';
import { createParamHeaders } from './param-headers.ts';
import type { McpResult } from './pending-calls.ts';
import { toProtocolError, withProtocolErrors } from './protocol-error.ts';
import { toPublicUri } from './public-names.ts';
import { createExchange, getCallOwner, type ResolvedCall, type ToolRequest } from './resolved-call.ts';

type HubCallServiceDependencies = CallForwarderDependencies &
  Pick<GatewayOptions, 'policy'> & {
    readonly catalogue: Pick<HubCatalogue, 'findTool' | 'findPrompt' | 'findResource'>;
    /** Undefined where only the catalogue's tools can be called. */
    readonly hubTools?: HubTools;
    /** Undefined where approvers cannot decide in their client. */
    readonly approvalTools?: ApprovalTools | undefined;
    /** Undefined where calls that need an approval are refused. */
    readonly approvals?: ApprovalGate | undefined;
    /** Undefined where clients wait themselves for approvals. */
    readonly heldTasks?: Pick<HeldTasks, 'canStart' | 'start'> | undefined;
    /** Undefined where no server has tasks. */
    readonly toolTasks?: ToolTaskDependencies;
  };

/** `name` is public. */
type CalledTool = { readonly name: string; readonly task: TaskParams | undefined };

const hideArguments: Redaction = { keep: false, hide: [] };
const storeArguments: Redaction = { keep: true, hide: [] };
const unlimited: Decision = { allowed: true, redact: storeArguments };

export class HubCallService {
  readonly #dependencies: HubCallServiceDependencies;
  readonly #forwarder: CallForwarder;

  constructor(dependencies: HubCallServiceDependencies) {
    this.#dependencies = dependencies;
    this.#forwarder = new CallForwarder(dependencies);
  }

  async callTool(
    context: CallContext,
    { name, arguments: args = {}, task, resolved: found }: ToolRequest,
  ): Promise<McpResult> {
    const method = 'tools/call';
    const { hubTools } = this.#dependencies;
    if (this.#dependencies.approvalTools?.has(name)) return this.#callApprovalTool(context, name, args);
    if (hubTools?.has(context.principal, name))
      return this.#callHubTool(context, name, args, () => hubTools.call(context.principal, name, args));
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
    const policyCall = {
      ...this.#getPolicyParts(context),
      connection,
      tool,
      original,
      arguments: args,
      exactArguments,
      argumentBytes: argumentText && Buffer.byteLength(argumentText.text),
    };
    const decision = await this.#decide(context, policyCall, method, { name, task });
    const recordedArguments = exactArguments ?? args;
    if (!decision.allowed) return this.#refuse(context, { connection, tool, arguments: recordedArguments }, decision);
    const headers = createParamHeaders(original, args);
    // What somebody has approved is sent as the value that was shown.
    const sentArguments = decision.isApproved ? recordedArguments : (argumentText ?? recordedArguments);
    const params = { name: tool, arguments: sentArguments, ...(task ? { task } : {}) };
    const { limits, release, budget, redact, decideAnswer } = decision;
    if (task && !canRunAsTask(original)) {
      release?.();
      budget?.cancel();
      return this.#refuseTask(context, { connection, tool, arguments: recordedArguments, redact });
    }
    const { toolTasks } = this.#dependencies;
    const taskParts = toolTasks && connection.kind !== 'memory' && createTaskParts(toolTasks, context, resolved, task);
    const request = { method, name: tool, params, arguments: args, exactArguments, headers };
    const call = { ...resolved, ...request, limits, release, budget, decideAnswer, ...taskParts };
    return this.#forwarder.forward(context, call, redact);
  }

  /** The budget that the call of a result returned here brought near its end, if any. */
  getBudgetWarning(result: McpResult): BudgetWarning | undefined {
    return this.#forwarder.getBudgetWarning(result);
  }

  /** The JSON text of a result returned here, if available. */
  getResultText(result: McpResult): string | undefined {
    return this.#forwarder.getResultText(result);
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
      hideArguments,
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
      storeArguments,
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
      return this.forwardAdmitted(context, call, hideArguments);
    }
    const resolved = await this.resolve(context, method, ref.uri, argument, () =>
      catalogue.findResource(principal, ref.uri),
    );
    const params = { ref: { type: ref.type, uri: resolved.uri }, ...rest };
    return this.forwardAdmitted(
      context,
      { ...resolved, method, name: resolved.uri, params, arguments: argument },
      hideArguments,
    );
  }

  /**
   * Limited like calls of other tools: a search costs the hub more than many of them. `call` may release the limit before it ends. There is
   * a row however it ends.
   */
  async #callHubTool(
    context: CallContext,
    tool: string,
    args: unknown,
    call: (release: () => void) => Promise<HubToolOutcome>,
  ): Promise<McpResult> {
    const startedAtMs = this.#dependencies.clock.monotonicMs();
    const { principal } = context;
    const decision = (await this.#dependencies.policy.limitHubTool?.(principal, tool)) ?? unlimited;
    if (!decision.allowed) return this.#refuse(context, { connection: undefined, tool, arguments: args }, decision);
    const { release = () => {} } = decision;
    const record = (outcome: AuditOutcome, reason: string | undefined, bytes: number): Promise<void> => {
      const details = { method: 'tools/call', connection: undefined, tool, arguments: args, redact: hideArguments };
      return this.#forwarder.record(context, { ...details, outcome, reason }, startedAtMs, bytes);
    };
    try {
      const { result, code } = await call(release);
      await record(code === undefined ? 'ok' : 'tool_error', code, Buffer.byteLength(JSON.stringify(result)));
      return result;
    } finally {
      release();
    }
  }

  /** A form for the person goes to the client as a question of a server does. */
  async #callApprovalTool(context: CallContext, name: string, args: unknown): Promise<McpResult> {
    const { approvalTools, pendingCalls } = this.#dependencies;
    const { principal, capabilities, ask, requestState, inputResponses = {} } = context;
    const { authenticate = async () => principal } = context;
    const run = (askPerson: AskPerson | undefined) =>
      this.#callHubTool(context, name, args, (release) => {
        const askWithoutLimit: AskPerson | undefined =
          askPerson &&
          ((question) => {
            release();
            return askPerson(question);
          });
        return runHubTool(async () => {
          if (!approvalTools) throw vpError('HUB_TOOL_UNKNOWN', { name });
          return approvalTools.call({ principal, name, arguments: args, ask: askWithoutLimit, authenticate });
        });
      });
    if (!canShowForms(capabilities)) return run(undefined);
    if (ask) return run(({ method, params }) => ask(method, params));
    const owner = getCallOwner(context, { connection: { id: '' }, method: 'tools/call', name, arguments: args });
    const exchange = createExchange(context, (json) => json);
    if (pendingCalls.isOwnState(requestState))
      return withProtocolErrors(pendingCalls.resume(owner, exchange, requestState, inputResponses));
    return pendingCalls.start(
      owner,
      exchange,
      () => {},
      (pending) => run((question) => pending.askUntilAbandoned(question)),
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
    const redact = decision.redact?.keep === false ? hideArguments : redaction;
    if (decision.allowed) {
      const { limits, release, budget, decideAnswer } = decision;
      return this.#forwarder.forward(context, { ...resolved, limits, release, budget, decideAnswer }, redact);
    }
    const { reason, cure, details: extra } = decision;
    const details = { method, connection, tool, arguments: args, redact, outcome: 'denied', reason } as const;
    await this.#forwarder.record(context, details, this.#dependencies.clock.monotonicMs(), 0);
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
            ? ((await policy.decideTask?.(policyCall)) ?? unlimited)
            : ((await policy.admit?.(policyCall)) ?? unlimited);
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
      const details = { method, connection, tool, arguments: args, redact: hideArguments, counts };
      const startedAtMs = this.#dependencies.clock.monotonicMs();
      await this.#forwarder.record(
        context,
        { ...details, outcome: context.signal.aborted ? 'cancelled' : 'failed', reason: toVpError(error).code },
        startedAtMs,
        0,
      );
      throw toProtocolError(error);
    }
  }

  /** Without `_meta` where the client sent nothing in it that is forwarded. */
  #getPolicyParts(context: CallContext): Pick<PolicyCall, PolicyPart> {
    const { principal, meta, inputResponses, trialDigest, requestState } = context;
    const isContinuation = this.#dependencies.pendingCalls.isOwnState(requestState);
    const parts = { principal, answers: inputResponses, trialDigest, isContinuation };
    return hasMembers(meta) ? { ...parts, meta } : parts;
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
      const details = { method, connection: undefined, tool: name, arguments: args, redact: hideArguments };
      await this.#forwarder.record(context, { ...details, outcome, reason: error.code }, startedAtMs, 0);
      throw toProtocolError(error);
    };
    try {
      const match = await lookUp();
      return match ?? (await auditAndThrow(createUnknownError(), 'denied'));
    } catch (error) {
      if (error instanceof VpError) return auditAndThrow(error, 'failed');
      throw error;
    }
  }

  async #refuseTask(
    context: CallContext,
    call: Pick<AuditDetails, 'connection' | 'arguments' | 'redact'> & { readonly tool: string },
  ): Promise<never> {
    const error = createNoTaskError(call.tool);
    const details = { method: 'tools/call', ...call, outcome: 'denied', reason: error.message } as const;
    await this.#forwarder.record(context, details, this.#dependencies.clock.monotonicMs(), 0);
    throw error;
  }

  async #refuse(
    context: CallContext,
    {
      connection,
      tool,
      arguments: args,
    }: { connection: UpstreamConnection | undefined; tool: string; arguments: unknown },
    {
      reason,
      cure,
      redact = hideArguments,
      details: extra,
      startedTask,
    }: Extract<Decision, { readonly allowed: false }>,
  ): Promise<McpResult> {
    const details = { method: 'tools/call', connection, tool, arguments: args, redact };
    // The call of the task has a row of its own.
    const outcome = startedTask
      ? ({ outcome: 'ok', reason: 'waits for an approval as a task', counts: 'nothing' } as const)
      : ({ outcome: 'denied', reason } as const);
    await this.#forwarder.record(context, { ...details, ...outcome }, this.#dependencies.clock.monotonicMs(), 0);
    return startedTask ?? createRefusalResult({ reason, cure, ...(extra ? { details: extra } : {}) });
  }
}

type PolicyPart = 'principal' | 'meta' | 'answers' | 'trialDigest' | 'isContinuation';
