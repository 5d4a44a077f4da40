/** What each hub allows, kept in memory ready to decide. */
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type HubPolicy, HubPolicyDocument } from '../../contract/hub-policy-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type HubPolicyRow, insertPolicy, newestPolicy } from '../../store/control/hub-policies.ts';
import type { Database } from '../../store/database.ts';
import { type CompiledPolicy, compilePolicy, defaultPolicy } from './compiled.ts';

/** What it works with. */
export type PolicyParts = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly clock: Pick<Clock, 'nowMs'>;
};

const documentCheck = TypeCompiler.Compile(HubPolicyDocument);
/** Longer documents are refused. */
const mostDocumentLength = 262_144;
/** Policies that stay compiled; beyond, all are forgotten and compiled again as they are needed. */
const mostCompiled = 1000;

function documentIn(row: HubPolicyRow): HubPolicyDocument {
  const value: unknown = JSON.parse(row.document);
  if (documentCheck.Check(value)) return value;
  throw vpError('INTERNAL', {}, { detail: `policy ${row.hub_id} ${row.revision} has another form` });
}

function wirePolicy(row: HubPolicyRow | undefined): HubPolicy {
  if (!row) return { revision: 0, document: defaultPolicy, changed_at: null, changed_by: null };
  const { revision, changed_at_ms, changed_by } = row;
  return { revision, document: documentIn(row), changed_at: new Date(changed_at_ms).toISOString(), changed_by };
}

/** See the file's header. */
export class Policies {
  readonly #parts: PolicyParts;
  readonly #compiled = new Map<string, Promise<CompiledPolicy>>();

  constructor(parts: PolicyParts) {
    this.#parts = parts;
  }

  /** Ready to decide. */
  of(hubId: string): Promise<CompiledPolicy> {
    const known = this.#compiled.get(hubId);
    if (known) return known;
    if (this.#compiled.size >= mostCompiled) this.#compiled.clear();
    const compiling = this.get(hubId).then(({ document }) => compilePolicy(document));
    this.#compiled.set(hubId, compiling);
    // Nobody is let through by a policy that could not be read; the next call tries again.
    compiling.catch(() => this.#compiled.delete(hubId));
    return compiling;
  }

  /** As people see it. */
  async get(hubId: string): Promise<HubPolicy> {
    return wirePolicy(await this.#parts.database.read((sql) => newestPolicy(sql, hubId)));
  }

  /** Changes it, for the very next call. Throws POLICY_INVALID, POLICY_REVISION_OTHER. */
  async set(hubId: string, document: HubPolicyDocument, by: string, wanted?: number): Promise<HubPolicy> {
    const compiled = compilePolicy(document);
    const text = JSON.stringify(document);
    if (text.length > mostDocumentLength)
      throw vpError('POLICY_INVALID', {
        where: 'document',
        problem: `is longer than ${mostDocumentLength} characters`,
      });
    const nowMs = this.#parts.clock.nowMs();
    const row = await this.#parts.database.write((sql) => {
      const found = newestPolicy(sql, hubId)?.revision ?? 0;
      if (wanted !== undefined && wanted !== found) throw vpError('POLICY_REVISION_OTHER', { found, wanted });
      const next = { hub_id: hubId, revision: found + 1, document: text, changed_at_ms: nowMs, changed_by: by };
      insertPolicy(sql, next);
      return next;
    });
    this.#compiled.set(hubId, Promise.resolve(compiled));
    return wirePolicy(row);
  }
}
