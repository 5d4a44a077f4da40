/** What a policy would have made of the calls of the audit: nothing is called, nothing is kept. */
import type { Static } from '@sinclair/typebox';
import type { AuditCall } from '../../contract/hub-audit-api.ts';
import type { HubPolicyDocument, HubPolicyTrial } from '../../contract/hub-policy-api.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { ConnectionBook } from '../words.ts';
import { CallLimits } from './call-limits.ts';
import { type CompiledPolicy, compilePolicy } from './compiled.ts';
import { fullName, refusalOf } from './judge.ts';
import { matchesTool } from './tool-pattern.ts';
import { isReading, type ToolPins } from './tool-pins.ts';

/** What a trial reads. */
export type TrialParts = {
  readonly audit: Pick<AuditLog, 'calls'>;
  readonly pins: Pick<ToolPins, 'of'>;
  readonly book: Pick<ConnectionBook, 'ofHub'>;
};

/** The time that is looked at. */
export type TrialRange = { readonly fromMs: number; readonly toMs: number };

type Trial = Static<typeof HubPolicyTrial>;
type Group = Trial['refused'][number];

/** One trial looks at no more; the oldest of the time come first. */
const mostCalls = 200_000;
const mostGroups = 100;
const shownSeqs = 5;

/** Groups calls by tool, person and reason. */
class Groups {
  readonly #groups = new Map<string, Group>();

  add(call: AuditCall, tool: string, reason: string): void {
    const key = `${tool}\0${call.person_id}\0${reason}`;
    const group = this.#groups.get(key) ?? { tool, person: call.person, reason, calls: 0, seqs: [] };
    group.calls += 1;
    if (group.seqs.length < shownSeqs) group.seqs.push(call.seq);
    if (this.#groups.size < 10_000 || this.#groups.has(key)) this.#groups.set(key, group);
  }

  list(): Group[] {
    return [...this.#groups.values()].sort((a, b) => b.calls - a.calls).slice(0, mostGroups);
  }
}

/** Replays. Throws POLICY_INVALID. */
export async function tryPolicy(
  parts: TrialParts,
  hubId: string,
  document: HubPolicyDocument,
  range: TrialRange,
): Promise<Trial> {
  const policy = compilePolicy(document);
  const reading = await readersOf(parts, hubId);
  const limits = new CallLimits();
  const [refused, allowed] = [new Groups(), new Groups()];
  const counts = { calls: 0, unknown: 0 };
  for await (const calls of parts.audit.calls(hubId, range)) {
    for (const call of calls) {
      if (call.method !== 'tools/call' || call.connection === null || call.tool === null) continue;
      if (counts.calls >= mostCalls) return trialOf(range, counts, refused, allowed, true);
      counts.calls += 1;
      const name = fullName({ connection: call.connection, tool: call.tool });
      if (isUnknown(policy, name, call)) counts.unknown += 1;
      const reason = reasonOf(policy, limits, call, name, reading);
      if (reason !== undefined && call.outcome !== 'denied') refused.add(call, name, reason);
      if (reason === undefined && call.outcome === 'denied') allowed.add(call, name, call.reason ?? 'denied');
    }
  }
  return trialOf(range, counts, refused, allowed, false);
}

function trialOf(
  { fromMs }: TrialRange,
  { calls, unknown }: { calls: number; unknown: number },
  refused: Groups,
  allowed: Groups,
  isPartial: boolean,
): Trial {
  const since = new Date(fromMs).toISOString();
  return { since, calls, is_partial: isPartial, refused: refused.list(), allowed: allowed.list(), unknown };
}

/** Which tools only read, by their full names. */
async function readersOf({ pins, book }: TrialParts, hubId: string): Promise<ReadonlySet<string>> {
  const readers = new Set<string>();
  for (const { id, name: connection } of await book.ofHub(hubId))
    for (const pin of (await pins.of(id)).values())
      if (isReading(pin)) readers.add(fullName({ connection, tool: pin.tool }));
  return readers;
}

function isUnknown(policy: CompiledPolicy, name: string, call: AuditCall): boolean {
  return call.arguments === null && policy.arguments.some(({ tools }) => matchesTool(tools, name));
}

function reasonOf(
  policy: CompiledPolicy,
  limits: CallLimits,
  call: AuditCall,
  name: string,
  readers: ReadonlySet<string>,
): string | undefined {
  const { connection, tool, role } = call;
  if (connection === null || tool === null) return undefined;
  const kept = call.arguments === null ? {} : { arguments: { value: JSON.parse(call.arguments) } };
  const refusal = refusalOf(policy, { role, connection, tool, isReading: readers.has(name), ...kept });
  if (refusal) return refusal.reason;
  const token = `${call.via} ${call.via_id ?? ''} ${call.person_id}`;
  // How many ran at once is not replayed: rows say when calls ended, in that order.
  const rates = policy.limits.map(({ at_once: _atOnce, ...rate }) => rate);
  const place = limits.enter(rates, { hubId: '', token, person: call.person_id, tool: name }, Date.parse(call.at));
  if ('refusal' in place) return place.refusal.reason;
  place.release();
  return undefined;
}
