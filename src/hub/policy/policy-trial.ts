/** Replays recorded calls against a policy without calling or storing anything. */
import type { Static } from '@sinclair/typebox';
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { HubPolicyDocument, HubPolicyTrialResult } from '../../contract/hubs/policy-api.ts';
import { parseExactJson } from '../../json/exact-json.ts';
import { isObject } from '../../json/json-object.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { builtInMemoryName, type ConnectionRepository, type UpstreamTool } from '../connections/connection.ts';
import { CallRateLimiter } from './call-rate-limiter.ts';
import {
  type CallFacts,
  findContentRefusal,
  findItemRefusal,
  findToolRefusal,
  hasRuleFor,
  toFullToolName,
  unlistedResourceReason,
} from './call-rules.ts';
import type { CallerFacts } from './caller-rules.ts';
import { type CompiledPolicy, compilePolicy } from './compiled-policy.ts';
import type { DefinitionPins } from './definition-pins.ts';
import { isDefinitionReason } from './definition-refusals.ts';
import { isDeclaredReadOnly, isReadOnlyTool } from './read-only-tools.ts';
import { parseRecordedMethod, type RecordedPart } from './recorded-parts.ts';
import { matchesTool } from './tool-pattern.ts';
import { TrialBudgets } from './trial-budgets.ts';
import { assertNoUris } from './unknown-tools.ts';

export type PolicyTrialDependencies = {
  readonly audit: Pick<AuditLog, 'calls'>;
  readonly pins: Pick<DefinitionPins, 'get'>;
  readonly connectionRepository: Pick<ConnectionRepository, 'listEnabled'>;
  readonly memoryTools: readonly UpstreamTool[];
};

export type TrialRange = { readonly fromMs: number; readonly toMs: number };

type Trial = Static<typeof HubPolicyTrialResult>;
type Group = Trial['refused'][number];

/** A trial reads at most this many calls, oldest first. */
const maxCalls = 200_000;
/** Before the trial's range, for budgets whose period has begun earlier. */
const maxEarlierRows = 1_000_000;
const maxGroups = 100;
const maxSeqsPerGroup = 5;

class CallGroups {
  readonly #groups = new Map<string, Group>();

  add(call: AuditCall, tool: string, reason: string): void {
    const key = `${tool}\0${call.person_id}\0${reason}`;
    const group = this.#groups.get(key) ?? { tool, person: call.person, reason, calls: 0, seqs: [] };
    group.calls += 1;
    if (group.seqs.length < maxSeqsPerGroup) group.seqs.push(call.seq);
    if (this.#groups.size < 10_000 || this.#groups.has(key)) this.#groups.set(key, group);
  }

  list(): Group[] {
    return [...this.#groups.values()].sort((a, b) => b.calls - a.calls).slice(0, maxGroups);
  }
}

/** Throws POLICY_INVALID. */
export async function runPolicyTrial(
  dependencies: PolicyTrialDependencies,
  hubId: string,
  document: HubPolicyDocument,
  range: TrialRange,
): Promise<Trial> {
  assertNoUris(document);
  const policy = compilePolicy(document);
  const readOnlyTools = await findReadOnlyTools(dependencies, hubId);
  const limits = new CallRateLimiter();
  const groups = { refused: new CallGroups(), allowed: new CallGroups(), held: new CallGroups() };
  const counts = { calls: 0, unknown: 0 };
  const budgets = new TrialBudgets(policy.budgets);
  const refusedStarts = new Set<number>();
  let earlierRows = 0;
  for await (const calls of dependencies.audit.calls(hubId, { ...range, fromMs: budgets.getStartMs(range.fromMs) })) {
    for (const call of calls) {
      // Budgets that are tried had begun before: what was used is used, whatever the rules tried.
      if (Date.parse(call.at) < range.fromMs) {
        earlierRows += 1;
        if (earlierRows > maxEarlierRows) return toTrial(range, counts, groups, true);
        budgets.add(call);
        continue;
      }
      // The row `started` of the call was evaluated: it has the arguments, and there may be no outcome.
      if (call.intent_seq !== undefined) {
        if (!refusedStarts.has(call.intent_seq)) budgets.add(call);
        continue;
      }
      const recorded = parseRecordedMethod(call.method);
      if (!recorded || call.connection === null || call.tool === null) continue;
      if (counts.calls >= maxCalls) return toTrial(range, counts, groups, true);
      // The rows of `_meta` and of answers belong to a call that has a row of its own.
      if (recorded.part === 'arguments') counts.calls += 1;
      const name = toFullToolName({ connection: call.connection, tool: call.tool });
      if (call.arguments === null && hasRuleFor(policy, name, recorded.part)) counts.unknown += 1;
      const reason = findRefusalReason(policy, limits, call, recorded, readOnlyTools, budgets);
      if (reason === undefined) budgets.add(call);
      else if (call.outcome === 'started') refusedStarts.add(call.seq);
      if (reason !== undefined && call.outcome !== 'denied') groups.refused.add(call, name, reason);
      const isToolCall = recorded.method === 'tools/call' && recorded.part === 'arguments';
      const needsApproval =
        isToolCall && reason === undefined && policy.approvals.some(({ tools }) => matchesTool(tools, name));
      if (needsApproval && call.outcome !== 'denied') groups.held.add(call, name, approvalReason);
      const isDeniedByPolicy = call.outcome === 'denied' && !isDefinitionReason(call.reason);
      if (reason === undefined && isDeniedByPolicy && !needsApproval)
        groups.allowed.add(call, name, call.reason ?? 'denied');
    }
  }
  return toTrial(range, counts, groups, false);
}

const approvalReason = 'needs an approval';

function toTrial(
  { fromMs }: TrialRange,
  { calls, unknown }: { calls: number; unknown: number },
  { refused, allowed, held }: Readonly<Record<'refused' | 'allowed' | 'held', CallGroups>>,
  isPartial: boolean,
): Trial {
  const since = new Date(fromMs).toISOString();
  const lists = { refused: refused.list(), allowed: allowed.list(), held: held.list() };
  return { since, calls, is_partial: isPartial, ...lists, unknown };
}

/** The full names of read-only tools. */
async function findReadOnlyTools(
  { pins, connectionRepository, memoryTools }: PolicyTrialDependencies,
  hubId: string,
): Promise<ReadonlySet<string>> {
  const readOnlyTools = new Set<string>();
  const connections = await connectionRepository.listEnabled(hubId);
  for (const { id, name: connection } of connections)
    for (const pin of (await pins.get(id)).values())
      if (isReadOnlyTool(pin)) readOnlyTools.add(toFullToolName({ connection, tool: pin.name }));
  const memory = connections.find(({ kind }) => kind === 'memory')?.name ?? builtInMemoryName;
  for (const tool of memoryTools)
    if (isDeclaredReadOnly(tool)) readOnlyTools.add(toFullToolName({ connection: memory, tool: tool.name }));
  return readOnlyTools;
}

function findRefusalReason(
  policy: CompiledPolicy,
  limits: CallRateLimiter,
  call: AuditCall,
  recorded: RecordedPart,
  readOnlyTools: ReadonlySet<string>,
  budgets: TrialBudgets,
): string | undefined {
  const { connection, tool, role, reason } = call;
  if (connection === null || tool === null) return undefined;
  const name = toFullToolName({ connection, tool });
  const isTool = recorded.method === 'tools/call';
  const facts = { role, caller: toCaller(call), connection, tool };
  const isListed = reason !== unlistedResourceReason;
  const refusal =
    (isTool
      ? findToolRefusal(policy, { ...facts, isReadOnly: readOnlyTools.has(name) })
      : findItemRefusal(policy, { ...facts, isListed })) ??
    findContentRefusal(policy, { ...facts, isReadOnly: true, ...toParts(call, recorded) });
  if (refusal) return refusal.reason;
  if (recorded.part !== 'arguments') return undefined;
  const usedUp = budgets.findRefusal(call);
  if (usedUp !== undefined) return usedUp;
  const token = `${call.via} ${call.via_id ?? ''} ${call.person_id}`;
  // Concurrency is not replayed: rows are in the order in which calls ended.
  const rates = policy.limits.map(({ at_once: _atOnce, ...rate }) => rate);
  const callKey = { hubId: '', token, person: call.person_id, tool: name };
  const reservation = limits.reserve(rates, callKey, Date.parse(call.at));
  if ('refusal' in reservation) return reservation.refusal.reason;
  reservation.release();
  return undefined;
}

/** The URIs of resources have no rules but those about names. */
function toParts(
  { arguments: stored }: AuditCall,
  { method, part }: RecordedPart,
): Pick<CallFacts, 'arguments' | 'meta' | 'answers'> {
  if (stored === null) return {};
  const value: unknown = JSON.parse(stored);
  if (part === 'meta') return { meta: value };
  if (part === 'answers') return isObject(value) ? { answers: value } : {};
  return method === 'tools/call' || method === 'prompts/get'
    ? { arguments: { value, exact: parseExactJson(stored) } }
    : {};
}

function toCaller(call: AuditCall): CallerFacts {
  const {
    person_id: personId,
    person: name,
    via,
    via_id: id,
    via_name: viaName,
    client,
    client_version: version,
  } = call;
  return {
    person: { personId, name },
    via: toVia(via, id ?? '', viaName ?? ''),
    client: client === null ? undefined : { name: client, version: version ?? '' },
  };
}

function toVia(kind: AuditCall['via'], id: string, name: string): CallerFacts['via'] {
  if (kind === 'token') return { kind, tokenId: id, tokenName: name };
  return kind === 'grant' ? { kind, clientId: id, clientName: name, scopes: [] } : { kind };
}
