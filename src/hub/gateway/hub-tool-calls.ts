/** Calls of the tools that a hub itself has: the search of tools, and the decisions about approvals. */
import { vpError } from '../../errors/vp-error.ts';
import type { ApprovalTools, AskPerson } from '../approvals/approval-tools.ts';
import type { AuditOutcome } from '../audit/audit-entry.ts';
import { digestOnly, unlimitedCall } from '../policy/call-policy.ts';
import { canShowForms } from '../upstream/upstream-call.ts';
import type { CallContext } from './call-context.ts';
import type { CallForwarder, CallForwarderDependencies } from './call-forwarder.ts';
import { refuseToolCall } from './call-refusal.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type HubToolOutcome, type HubTools, runHubTool } from './hub-tools.ts';
import type { McpResult } from './pending-calls.ts';
import { withProtocolErrors } from './protocol-error.ts';
import { createExchange, getCallOwner } from './resolved-call.ts';

export type HubToolCallDependencies = Pick<CallForwarderDependencies, 'clock' | 'pendingCalls'> &
  Pick<GatewayOptions, 'policy'> & {
    /** Undefined where only the catalogue's tools can be called. */
    readonly hubTools?: HubTools;
    /** Undefined where approvers cannot decide in their client. */
    readonly approvalTools?: ApprovalTools | undefined;
  };

export class HubToolCalls {
  readonly #dependencies: HubToolCallDependencies;
  readonly #forwarder: Pick<CallForwarder, 'record' | 'recordEnded'>;

  constructor(dependencies: HubToolCallDependencies, forwarder: Pick<CallForwarder, 'record' | 'recordEnded'>) {
    this.#dependencies = dependencies;
    this.#forwarder = forwarder;
  }

  /** Undefined if the hub itself has no tool of this name. */
  call(context: CallContext, name: string, args: unknown): Promise<McpResult> | undefined {
    const { hubTools, approvalTools } = this.#dependencies;
    const { principal } = context;
    if (approvalTools?.has(name)) return this.#callApprovalTool(context, name, args);
    if (!hubTools?.has(principal, name)) return undefined;
    return this.#callHubTool(context, name, args, () => hubTools.call(principal, name, args));
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
    const decision = (await this.#dependencies.policy.limitHubTool?.(principal, tool)) ?? unlimitedCall;
    if (!decision.allowed)
      return refuseToolCall(this.#forwarder, context, { connection: undefined, tool, arguments: args }, decision);
    const { release = () => {} } = decision;
    const record = (outcome: AuditOutcome, reason: string | undefined, bytes: number): Promise<void> => {
      const details = { method: 'tools/call', connection: undefined, tool, arguments: args, redact: digestOnly };
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
}
