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
import type { AuditEntry, AuditOutcome, Connection, DecidedCall, Decision, Redaction } from '../words.ts';
import { demandResult, demandSize, outcomeOf, reasonOf } from './call-ends.ts';
import type { Caller } from './caller.ts';
import type { Catalogue } from './catalogue.ts';
import { type Conceal, Concealment, concealedError } from './concealment.ts';
import { legOf, ownerOf, type Placed, upstreamCall } from './exchange.ts';
import type { HeldCall, HeldCalls, HeldResult } from './held-calls.ts';
import { paramHeaders } from './param-headers.ts';
import type { GatewayPorts } from './ports.ts';
import { shownResult } from './shown-results.ts';
import { statusResult, statusTool } from './status-tool.ts';

type Parts = Pick<GatewayPorts, 'policy' | 'audit' | 'clock' | 'upstream'> & {
  readonly catalogue: Catalogue;
  readonly held: HeldCalls;
};
/** What the audit is told besides who and when. */
type Told = Pick<AuditEntry, 'method' | 'connection' | 'tool' | 'arguments' | 'redact' | 'outcome' | 'reason'>;

const keepNothing: Redaction = { keep: false, hide: [] };
const keepAll: Redaction = { keep: true, hide: [] };

/** Where a result says that the hub refused the call, and why. */
export const deniedKey = 'vp/denied';

/** An error of ours as the protocol tells errors. */
export function protocolError(thrown: unknown): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  const { code, message, cure } = asVpError(thrown);
  const isUnknown = code === 'HUB_TOOL_UNKNOWN' || code === 'HUB_INPUT_UNKNOWN';
  const number = isUnknown ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(number, `${message}; ${cure}`, { code, message, cure });
}

/** Calls of callers that were let in. */
export class HubCalls {
  readonly #parts: Parts;
  readonly #texts = new WeakMap<HeldResult, string>();
  readonly #concealment: Concealment;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#concealment = new Concealment(parts.upstream.secrets);
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
    return this.#carried(caller, placed, redact);
  }

  /** The JSON text of a result that this gave, where it is at hand. */
  textOf(result: HeldResult): string | undefined {
    return this.#texts.get(result);
  }

  async getPrompt(caller: Caller, { name, arguments: args }: GetPromptRequest['params']): Promise<HeldResult> {
    const method = 'prompts/get';
    const found = await this.#find(caller, method, name, args, () =>
      this.#parts.catalogue.findPrompt(caller.principal, name),
    );
    const params = { name: found.original.name, ...(args ? { arguments: args } : {}) };
    return this.#carried(caller, { ...found, method, name: found.original.name, params, arguments: args }, keepNothing);
  }

  async readResource(caller: Caller, { uri }: ReadResourceRequest['params']): Promise<HeldResult> {
    const method = 'resources/read';
    const found = await this.#find(caller, method, uri, { uri }, () =>
      this.#parts.catalogue.findUri(caller.principal, uri),
    );
    const params = { uri: found.uri };
    return this.#carried(caller, { ...found, method, name: found.uri, params, arguments: params }, keepAll);
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
      return this.#carried(caller, { ...found, method, name, params, arguments: argument }, keepNothing);
    }
    const found = await this.#find(caller, method, ref.uri, argument, () => catalogue.findUri(principal, ref.uri));
    const params = { ref: { type: ref.type, uri: found.uri }, ...rest };
    return this.#carried(caller, { ...found, method, name: found.uri, params, arguments: argument }, keepNothing);
  }

  async #status(caller: Caller, args: unknown): Promise<HeldResult> {
    const began = this.#parts.clock.monotonicMs();
    const result = statusResult(await this.#parts.catalogue.tools(caller.principal));
    const told = { method: 'tools/call', connection: undefined, tool: statusTool.name, arguments: args };
    const ended = { redact: keepNothing, outcome: 'ok', reason: undefined } as const;
    await this.#tell(caller, { ...told, ...ended }, began, Buffer.byteLength(JSON.stringify(result)));
    return result;
  }

  /** A policy that cannot be read lets nobody through. */
  async #decided(caller: Caller, call: DecidedCall): Promise<Decision> {
    try {
      return await this.#parts.policy.decide(call);
    } catch (error) {
      const { connection, tool, arguments: args } = call;
      const told = { method: 'tools/call', connection, tool, arguments: args, redact: keepNothing };
      const began = this.#parts.clock.monotonicMs();
      await this.#tell(caller, { ...told, outcome: 'failed', reason: asVpError(error).code }, began, 0);
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
      await this.#tell(caller, { ...told, outcome, reason: error.code }, began, 0);
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
    await this.#tell(caller, { ...told, outcome: 'denied', reason }, this.#parts.clock.monotonicMs(), 0);
    const text = `Not allowed: ${reason}. ${cure}`;
    return { content: [{ type: 'text', text }], isError: true, _meta: { [deniedKey]: { reason, cure } } };
  }

  async #carried(caller: Caller, placed: Placed, redact: Redaction): Promise<HeldResult> {
    const { method, connection, name: tool } = placed;
    const began = this.#parts.clock.monotonicMs();
    const told = { method, connection, tool, arguments: placed.arguments, redact };
    let answered: Told & { readonly bytes: number; readonly result: HeldResult };
    let conceal: Conceal;
    try {
      this.#parts.audit.ready?.(this.#entry(caller, { ...told, outcome: 'denied', reason: undefined }, began, 0));
      conceal = await this.#concealment.of(connection);
    } catch (error) {
      placed.done?.();
      throw protocolError(error);
    }
    try {
      const shown = shownResult(connection.name, await this.#exchanged(caller, placed, conceal));
      demandResult(connection.name, method, shown);
      const whole = JSON.stringify(shown);
      const text = conceal(whole);
      const result: HeldResult = text === whole ? shown : JSON.parse(text);
      const bytes = Buffer.byteLength(text);
      demandSize(connection.name, bytes, placed.limits?.answerBytes);
      const outcome = result.isError === true ? 'tool_error' : 'ok';
      const reason = result.resultType === 'input_required' ? 'input_required' : undefined;
      this.#texts.set(result, text);
      answered = { ...told, outcome, reason, bytes, result };
    } catch (error) {
      await this.#tell(caller, { ...told, outcome: outcomeOf(caller, error), reason: reasonOf(error) }, began, 0);
      throw error instanceof VpError ? protocolError(error) : concealedError(conceal, error);
    }
    const { bytes, result, ...row } = answered;
    await this.#tell(caller, row, began, bytes);
    return result;
  }

  /** The way there and back; a call that asks something in between is held. */
  async #exchanged(caller: Caller, placed: Placed, conceal: Conceal): Promise<HeldResult> {
    const { held } = this.#parts;
    const { requestState, inputResponses } = caller;
    const leg = legOf(caller, conceal);
    const owner = ownerOf(caller, placed);
    const done = placed.done ?? (() => {});
    if (held.isOwn(requestState)) return held.resume(owner, leg, requestState, inputResponses ?? {}).finally(done);
    const params = {
      ...placed.params,
      ...(Object.keys(caller.meta).length > 0 ? { _meta: caller.meta } : {}),
      ...(inputResponses ? { inputResponses } : {}),
      ...(requestState === undefined ? {} : { requestState }),
    };
    const send = (call: HeldCall | undefined): Promise<HeldResult> =>
      placed.upstream.send(placed.method, params, upstreamCall(caller, placed, leg, call)).finally(done);
    return Object.keys(caller.capabilities).length > 0 ? held.begin(owner, leg, send) : send(undefined);
  }

  async #tell(caller: Caller, told: Told, beganMs: number, answerBytes: number): Promise<void> {
    await this.#parts.audit.record(this.#entry(caller, told, beganMs, answerBytes));
  }

  #entry(caller: Caller, told: Told, beganMs: number, answerBytes: number): AuditEntry {
    const { clock } = this.#parts;
    const durationMs = clock.monotonicMs() - beganMs;
    const { principal, requestBytes } = caller;
    const { connection } = told;
    return {
      ...told,
      connection: connection && { id: connection.id, name: connection.name },
      atMs: clock.nowMs() - durationMs,
      principal,
      durationMs,
      requestBytes,
      answerBytes,
    };
  }
}
