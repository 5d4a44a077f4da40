/** Calls and bytes by caller, connection and tool: what budgets are computed from, whatever the policy says at the time. */
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import { tryParseJson } from '../../json/json-object.ts';
import type { HubPrincipal } from '../access/principal.ts';
import { parseRecordedMethod } from '../policy/recorded-parts.ts';

const UsageCount = Type.Object({
  person_id: Type.String(),
  person: Type.String(),
  /** The kind and id of the credential. */
  token: Type.String(),
  token_name: Type.String(),
  connection_id: Type.String(),
  connection: Type.String(),
  /** Empty for anything but tools. */
  tool: Type.String(),
  calls: Type.Integer(),
  bytes: Type.Integer(),
});
export type UsageCount = typeof UsageCount.static;
export type UsageSource = Omit<UsageCount, 'calls' | 'bytes'>;
export type UsageAmount = Pick<UsageCount, 'calls' | 'bytes'>;

const countsCheck = TypeCompiler.Compile(Type.Array(UsageCount));

export class UsageCounts {
  readonly #counts = new Map<string, UsageCount>();

  add(source: UsageSource, { calls, bytes }: UsageAmount): void {
    const { person_id: personId, token, connection_id: connectionId, tool } = source;
    const key = `${personId}\0${token}\0${connectionId}\0${tool}`;
    const before = this.#counts.get(key) ?? { calls: 0, bytes: 0 };
    this.#counts.set(key, { ...source, calls: before.calls + calls, bytes: before.bytes + bytes });
  }

  list(): readonly UsageCount[] {
    return [...this.#counts.values()];
  }

  addAll(counts: readonly UsageCount[]): void {
    for (const { calls, bytes, ...source } of counts) this.add(source, { calls, bytes });
  }
}

/** Undefined for text that is not of `UsageCounts.list`. */
export function parseUsageCounts(text: string): readonly UsageCount[] | undefined {
  const value = tryParseJson(text);
  return countsCheck.Check(value) ? value : undefined;
}

/** Requests about tasks are not calls: their bytes count. */
export function countsAsCall(method: string): boolean {
  return parseRecordedMethod(method)?.part === 'arguments';
}

export function toUsageSource(
  { person, via }: HubPrincipal,
  connection: { readonly id: string; readonly name: string },
  method: string,
  tool: string,
): UsageSource {
  const [id, name] =
    via.kind === 'token'
      ? [via.tokenId, via.tokenName]
      : via.kind === 'grant'
        ? [via.clientId, via.clientName]
        : ['', 'the console'];
  return {
    ...{ person_id: person.personId, person: person.name, token: toTokenKey(via.kind, id), token_name: name },
    ...{ connection_id: connection.id, connection: connection.name, tool: toCountedTool(method, tool) },
  };
}

const toTokenKey = (kind: string, id: string): string => `${kind} ${id}`.trim();

function toCountedTool(method: string, tool: string): string {
  return method === 'tools/call' || method.startsWith('tasks/') ? tool : '';
}

/**
 * What a row of the audit adds; undefined for a row that is not of a call to a server. The row `started` of a call has the call, and that of
 * its outcome the bytes; without `started`, the outcome has both.
 */
export function readRecordedUsage(call: AuditCall): { source: UsageSource; amount: UsageAmount } | undefined {
  const { method, outcome, connection, connection_id: connectionId, intent_seq: intentSeq, counts } = call;
  if (outcome === 'denied' || counts === 'nothing' || connection === null || connectionId === null) return undefined;
  const isCall = countsAsCall(method);
  if (!isCall && !method.startsWith('tasks/')) return undefined;
  const isStart = outcome === 'started';
  const source = {
    ...{ person_id: call.person_id, person: call.person },
    ...{ token: toTokenKey(call.via, call.via_id ?? ''), token_name: call.via_name ?? 'the console' },
    ...{ connection_id: connectionId, connection, tool: toCountedTool(method, call.tool ?? '') },
  };
  const calls = isCall && counts === undefined && (isStart || intentSeq === undefined) ? 1 : 0;
  return { source, amount: { calls, bytes: isStart ? 0 : call.request_bytes + call.answer_bytes } };
}
