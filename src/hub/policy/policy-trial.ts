/** Replays recorded calls against a policy without calling or storing anything. */
import type { Static } from '@sinclair/typebox';
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { HubPolicyDocument, HubPolicyTrialResult } from '../../contract/hubs/policy-api.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { ConnectionRepository } from '../types.ts';
import { CallRateLimiter } from './call-rate-limiter.ts';
import { findRefusal, toFullToolName } from './call-rules.ts';
import { type CompiledPolicy, compilePolicy } from './compiled-policy.ts';
import { matchesTool } from './tool-pattern.ts';
import { isReadOnlyTool, type ToolPins } from './tool-pins.ts';

export type PolicyTrialDependencies = {
  readonly audit: Pick<AuditLog, 'calls'>;
  readonly pins: Pick<ToolPins, 'get'>;
  readonly connectionRepository: Pick<ConnectionRepository, 'listEnabled'>;
};

export type TrialRange = { readonly fromMs: number; readonly toMs: number };

type Trial = Static<typeof HubPolicyTrialResult>;
type Group = Trial['refused'][number];

/** A trial reads at most this many calls, oldest first. */
const maxCalls = 200_000;
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
  const policy = compilePolicy(document);
  const readOnlyTools = await findReadOnlyTools(dependencies, hubId);
  const limits = new CallRateLimiter();
  const [refused, allowed] = [new CallGroups(), new CallGroups()];
  const counts = { calls: 0, unknown: 0 };
  for await (const calls of dependencies.audit.calls(hubId, range)) {
    for (const call of calls) {
      if (call.method !== 'tools/call' || call.connection === null || call.tool === null) continue;
      if (counts.calls >= maxCalls) return toTrial(range, counts, refused, allowed, true);
      counts.calls += 1;
      const name = toFullToolName({ connection: call.connection, tool: call.tool });
      if (hasUnknownArguments(policy, name, call)) counts.unknown += 1;
      const reason = findRefusalReason(policy, limits, call, name, readOnlyTools);
      if (reason !== undefined && call.outcome !== 'denied') refused.add(call, name, reason);
      if (reason === undefined && call.outcome === 'denied') allowed.add(call, name, call.reason ?? 'denied');
    }
  }
  return toTrial(range, counts, refused, allowed, false);
}

function toTrial(
  { fromMs }: TrialRange,
  { calls, unknown }: { calls: number; unknown: number },
  refused: CallGroups,
  allowed: CallGroups,
  isPartial: boolean,
): Trial {
  const since = new Date(fromMs).toISOString();
  return { since, calls, is_partial: isPartial, refused: refused.list(), allowed: allowed.list(), unknown };
}

/** The full names of read-only tools. */
async function findReadOnlyTools(
  { pins, connectionRepository }: PolicyTrialDependencies,
  hubId: string,
): Promise<ReadonlySet<string>> {
  const readOnlyTools = new Set<string>();
  for (const { id, name: connection } of await connectionRepository.listEnabled(hubId))
    for (const pin of (await pins.get(id)).values())
      if (isReadOnlyTool(pin)) readOnlyTools.add(toFullToolName({ connection, tool: pin.tool }));
  return readOnlyTools;
}

function hasUnknownArguments(policy: CompiledPolicy, name: string, call: AuditCall): boolean {
  return call.arguments === null && policy.arguments.some(({ tools }) => matchesTool(tools, name));
}

function findRefusalReason(
  policy: CompiledPolicy,
  limits: CallRateLimiter,
  call: AuditCall,
  name: string,
  readOnlyTools: ReadonlySet<string>,
): string | undefined {
  const { connection, tool, role } = call;
  if (connection === null || tool === null) return undefined;
  const storedArguments = call.arguments === null ? {} : { arguments: { value: JSON.parse(call.arguments) } };
  const refusal = findRefusal(policy, {
    role,
    connection,
    tool,
    isReadOnly: readOnlyTools.has(name),
    ...storedArguments,
  });
  if (refusal) return refusal.reason;
  const token = `${call.via} ${call.via_id ?? ''} ${call.person_id}`;
  // Concurrency is not replayed: rows are in the order in which calls ended.
  const rates = policy.limits.map(({ at_once: _atOnce, ...rate }) => rate);
  const reservation = limits.reserve(
    rates,
    { hubId: '', token, person: call.person_id, tool: name },
    Date.parse(call.at),
  );
  if ('refusal' in reservation) return reservation.refusal.reason;
  reservation.release();
  return undefined;
}
