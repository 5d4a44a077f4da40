/** Calls through a hub: found, decided about, carried to their server and back, and told to the audit before the answer leaves. */
import {
  type CallToolRequest,
  type CompleteRequest,
  type GetPromptRequest,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceRequest,
} from '@modelcontextprotocol/server';
import { asVpError, VpError, vpError } from '../../errors/vp-error.ts';
import type { AuditOutcome, Connection, DecidedCall, Decision, Redaction } from '../words.ts';
import type { Caller } from './caller.ts';
import { CarriedCalls, type CarryingParts } from './carried-calls.ts';
import type { Catalogue } from './catalogue.ts';
import type { Placed } from './exchange.ts';
import type { HeldResult } from './held-calls.ts';
import { paramHeaders } from './param-headers.ts';
import type { GatewayPorts } from './ports.ts';
import { protocolError } from './protocol-error.ts';
import { statusResult, statusTool } from './status-tool.ts';

type Parts = CarryingParts & Pick<GatewayPorts, 'policy'> & { readonly catalogue: Catalogue };
const keepNothing: Redaction = { keep: false, hide: [] };
const keepAll: Redaction = { keep: true, hide: [] };
const unlimited: Decision = { allowed: true, redact: keepAll };

/** Where a result says that the hub refused the call, and why. */
export const deniedKey = 'vp/denied';

/** Calls of callers that were let in. */
export class HubCalls {
  readonly #parts: Parts;
  readonly #carried: CarriedCalls;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#carried = new CarriedCalls(parts);
  }

  async callTool(
    caller: Caller,
    { name, arguments: args = {} }: Pick<CallToolRequest['params'], 'name' | 'arguments'>,
  ): Promise<HeldResult> {
    const method = 'tools/call';
    if (name === statusTool.name) return this.#status(caller, args);
    const found = await this.#find(caller, method, name, args, () =>
      this.#parts.catalogue.findTool(caller.principal, name),
    );
    const { connection, original } = found;
    const tool = original.name;
    const decision = await this.#decided(caller, { principal: caller.principal, connection, tool, arguments: args });
    if (!decision.allowed) return this.#denied(caller, { connection, tool, arguments: args }, decision);
    const headers = paramHeaders(original, args);
    const params = { name: tool, arguments: args };
    const { limits, done, redact } = decision;
    const placed = { ...found, method, name: tool, params, arguments: args, headers, limits, done };
    return this.#carried.carry(caller, placed, redact);
  }

  /** The JSON text of a result that this gave, where it is at hand. */
  textOf(result: HeldResult): string | undefined {
    return this.#carried.textOf(result);
  }

  async getPrompt(caller: Caller, { name, arguments: args }: GetPromptRequest['params']): Promise<HeldResult> {
    const method = 'prompts/get';
    const found = await this.#find(caller, method, name, args, () =>
      this.#parts.catalogue.findPrompt(caller.principal, name),
    );
    const params = { name: found.original.name, ...(args ? { arguments: args } : {}) };
    return this.#admitted(
      caller,
      { ...found, method, name: found.original.name, params, arguments: args },
      keepNothing,
    );
  }

  async readResource(caller: Caller, { uri }: ReadResourceRequest['params']): Promise<HeldResult> {
    const method = 'resources/read';
    const found = await this.#find(caller, method, uri, { uri }, () =>
      this.#parts.catalogue.findUri(caller.principal, uri),
    );
    const params = { uri: found.uri };
    return this.#admitted(caller, { ...found, method, name: found.uri, params, arguments: params }, keepAll);
  }

  async complete(caller: Caller, { ref, argument, context }: CompleteRequest['params']): Promise<HeldResult> {
    const method = 'completion/complete';
    const { catalogue } = this.#parts;
    const { principal } = caller;
    const rest = { argument, ...(context ? { context } : {}) };
    if (ref.type === 'ref/prompt') {
      const found = await this.#find(caller, method, ref.name, argument, () =>
        catalogue.findPrompt(principal, ref.name),
      );
      const { name } = found.original;
      const params = { ref: { type: ref.type, name }, ...rest };
      return this.#admitted(caller, { ...found, method, name, params, arguments: argument }, keepNothing);
    }
    const found = await this.#find(caller, method, ref.uri, argument, () => catalogue.findUri(principal, ref.uri));
    const params = { ref: { type: ref.type, uri: found.uri }, ...rest };
    return this.#admitted(caller, { ...found, method, name: found.uri, params, arguments: argument }, keepNothing);
  }

  async #status(caller: Caller, args: unknown): Promise<HeldResult> {
    const began = this.#parts.clock.monotonicMs();
    const result = statusResult(await this.#parts.catalogue.tools(caller.principal));
    const told = { method: 'tools/call', connection: undefined, tool: statusTool.name, arguments: args };
    const ended = { redact: keepNothing, outcome: 'ok', reason: undefined } as const;
    await this.#carried.tell(caller, { ...told, ...ended }, began, Buffer.byteLength(JSON.stringify(result)));
    return result;
  }

  /** What is no tool is counted and bounded as tools are. */
  async #admitted(caller: Caller, placed: Placed, keep: Redaction): Promise<HeldResult> {
    const { method, connection, name: tool, arguments: args } = placed;
    const call = { principal: caller.principal, connection, tool, arguments: args };
    const decision = await this.#decided(caller, call, method);
    const redact = decision.redact?.keep === false ? keepNothing : keep;
    if (decision.allowed) {
      const { limits, done } = decision;
      return this.#carried.carry(caller, { ...placed, limits, done }, redact);
    }
    const { reason, cure } = decision;
    const told = { method, connection, tool, arguments: args, redact, outcome: 'denied', reason } as const;
    await this.#carried.tell(caller, told, this.#parts.clock.monotonicMs(), 0);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Not allowed: ${reason}. ${cure}`, { reason, cure });
  }

  /** A policy that cannot be read lets nobody through. */
  async #decided(caller: Caller, call: DecidedCall, method = 'tools/call'): Promise<Decision> {
    const { policy } = this.#parts;
    try {
      return method === 'tools/call' ? await policy.decide(call) : ((await policy.admit?.(call)) ?? unlimited);
    } catch (error) {
      const { connection, tool, arguments: args } = call;
      const told = { method, connection, tool, arguments: args, redact: keepNothing };
      const began = this.#parts.clock.monotonicMs();
      await this.#carried.tell(caller, { ...told, outcome: 'failed', reason: asVpError(error).code }, began, 0);
      throw protocolError(error);
    }
  }

  /** What is named, or the refusal, which the audit is told of. */
  async #find<F>(
    caller: Caller,
    method: string,
    name: string,
    args: unknown,
    find: () => Promise<F | undefined>,
  ): Promise<F> {
    const began = this.#parts.clock.monotonicMs();
    const refused = async (error: VpError, outcome: AuditOutcome): Promise<never> => {
      const told = { method, connection: undefined, tool: name, arguments: args, redact: keepNothing };
      await this.#carried.tell(caller, { ...told, outcome, reason: error.code }, began, 0);
      throw protocolError(error);
    };
    try {
      const found = await find();
      return found ?? (await refused(vpError('HUB_TOOL_UNKNOWN', { name: name.slice(0, 100) }), 'denied'));
    } catch (error) {
      if (error instanceof VpError) return refused(error, 'failed');
      throw error;
    }
  }

  async #denied(
    caller: Caller,
    { connection, tool, arguments: args }: { connection: Connection; tool: string; arguments: unknown },
    { reason, cure, redact = keepNothing }: { reason: string; cure: string; redact?: Redaction },
  ): Promise<HeldResult> {
    const told = { method: 'tools/call', connection, tool, arguments: args, redact };
    await this.#carried.tell(caller, { ...told, outcome: 'denied', reason }, this.#parts.clock.monotonicMs(), 0);
    const text = `Not allowed: ${reason}. ${cure}`;
    return { content: [{ type: 'text', text }], isError: true, _meta: { [deniedKey]: { reason, cure } } };
  }
}
