/** The policies of hubs, compiled and cached. */

import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type HubPolicy, HubPolicyDocument } from '../../contract/hubs/policy-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { Listeners } from '../../listeners/listeners.ts';
import {
  findNewestPolicy,
  type HubPolicyRow,
  insertPolicy,
  listPolicyRevision,
} from '../../store/control/hubs/policies.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import type { PreparedChange } from '../changes/hub-change.ts';
import { type CompiledPolicy, compilePolicy, defaultPolicy } from './compiled-policy.ts';
import { assertNoUris } from './unknown-tools.ts';

export type PolicyStoreDependencies = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly clock: Pick<Clock, 'nowMs'>;
};

const documentCheck = TypeCompiler.Compile(HubPolicyDocument);
const maxDocumentLength = 262_144;
/** Beyond this number the cache is cleared. */
const maxCompiled = 1000;

function parseDocument(row: HubPolicyRow): HubPolicyDocument {
  const value: unknown = JSON.parse(row.document);
  if (documentCheck.Check(value)) return value;
  throw vpError('INTERNAL', {}, { detail: `policy ${row.hub_id} ${row.revision} does not match its schema` });
}

function toHubPolicy(row: HubPolicyRow | undefined): HubPolicy {
  if (!row) return { revision: 0, document: defaultPolicy, changed_at: null, changed_by: null };
  const { revision, changed_at_ms, changed_by } = row;
  return { revision, document: parseDocument(row), changed_at: new Date(changed_at_ms).toISOString(), changed_by };
}

export class PolicyStore {
  readonly #dependencies: PolicyStoreDependencies;
  readonly #compiled = new Map<string, Promise<CompiledPolicy>>();
  readonly #listeners = new Listeners<string>();

  constructor(dependencies: PolicyStoreDependencies) {
    this.#dependencies = dependencies;
  }

  /** `listener` must not throw. Returns a function that stops it. */
  onChange(listener: (hubId: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  getCompiled(hubId: string): Promise<CompiledPolicy> {
    const cached = this.#compiled.get(hubId);
    if (cached) return cached;
    if (this.#compiled.size >= maxCompiled) this.#compiled.clear();
    const compiling = this.get(hubId).then(({ document, revision }) => compilePolicy(document, revision));
    this.#compiled.set(hubId, compiling);
    // A policy that cannot be read allows nothing; the next call tries again.
    compiling.catch(() => this.#compiled.delete(hubId));
    return compiling;
  }

  async get(hubId: string): Promise<HubPolicy> {
    return toHubPolicy(await this.#dependencies.database.read((sql) => findNewestPolicy(sql, hubId)));
  }

  /**
   * Takes effect with the next call. `findHubId` runs within the transaction. Throws POLICY_INVALID; the change throws
   * POLICY_REVISION_OTHER with the policy in force and the expected one.
   */
  createChange(
    findHubId: (sql: Sql) => string,
    document: HubPolicyDocument,
    changedBy: string,
    expectedRevision: number,
  ): PreparedChange<HubPolicy> {
    assertNoUris(document);
    const compiled = compilePolicy(document);
    const text = JSON.stringify(document);
    if (text.length > maxDocumentLength)
      throw vpError('POLICY_INVALID', {
        where: 'document',
        problem: `is longer than ${maxDocumentLength} characters`,
      });
    const nowMs = this.#dependencies.clock.nowMs();
    return (sql) => {
      const hubId = findHubId(sql);
      const current = findNewestPolicy(sql, hubId);
      const currentRevision = current?.revision ?? 0;
      if (expectedRevision !== currentRevision) {
        const base = expectedRevision === 0 ? [undefined] : listPolicyRevision(sql, hubId, expectedRevision);
        const diagnostics = [current, ...base].map(toHubPolicy);
        throw vpError('POLICY_REVISION_OTHER', { found: currentRevision, expected: expectedRevision }, { diagnostics });
      }
      const next = {
        hub_id: hubId,
        revision: currentRevision + 1,
        document: text,
        changed_at_ms: nowMs,
        changed_by: changedBy,
      };
      insertPolicy(sql, next);
      return () => {
        this.#compiled.set(hubId, Promise.resolve({ ...compiled, revision: next.revision }));
        this.#listeners.notify(hubId);
        return toHubPolicy(next);
      };
    };
  }
}
