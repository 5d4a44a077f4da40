/** The policy of a hub as its owners read, try and change it. */
import { hash } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import type {
  HubPolicy,
  HubPolicyDocument,
  HubPolicyTrialResult,
  UpdateHubPolicyRequest,
} from '../../contract/hubs/policy-api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import type { SecurityEvent } from '../../identity/context.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import {
  type AuthorizeInHub,
  assertAllowedInHub,
  authorizeInHub,
  findMembershipBySlug,
} from '../access/permissions.ts';
import { makeChange, type PreparedChange } from '../changes/hub-change.ts';
import { assertKnownNames, type PolicyNameDependencies } from './policy-names.ts';
import type { PolicyStore } from './policy-store.ts';
import { type PolicyTrialDependencies, runPolicyTrial } from './policy-trial.ts';

const dayMs = 86_400_000;

export type PolicyChangesDependencies = PolicyNameDependencies &
  PolicyTrialDependencies & {
    readonly database: Pick<Database, 'read' | 'write'>;
    readonly authorize: AuthorizeInHub;
    readonly policies: PolicyStore;
    readonly clock: Pick<Clock, 'nowMs'>;
    readonly logSecurityEvent: (event: SecurityEvent) => void;
  };

function digestText(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** The errors of each method are those of the governance service. */
export class PolicyChanges {
  readonly #dependencies: PolicyChangesDependencies;

  constructor(dependencies: PolicyChangesDependencies) {
    this.#dependencies = dependencies;
  }

  async get(caller: PersonCaller, hub: string): Promise<HubPolicy> {
    const { authorize, policies } = this.#dependencies;
    const { hubId } = await authorize(caller, hub, 'policy.see');
    return policies.get(hubId);
  }

  async set(caller: PersonCaller, hub: string, input: UpdateHubPolicyRequest): Promise<HubPolicy> {
    const { authorize, database } = this.#dependencies;
    await authorize(caller, hub, 'policy.manage');
    return makeChange(database, await this.prepare(caller, hub, input));
  }

  async prepare(
    caller: PersonCaller,
    hub: string,
    { if_revision: expectedRevision, ...input }: UpdateHubPolicyRequest,
  ): Promise<PreparedChange<HubPolicy>> {
    await this.#assertKnownNames(caller, hub, input);
    const findHubId = (sql: Sql): string => authorizeInHub(sql, caller, hub, 'policy.manage').hubId;
    const { policies } = this.#dependencies;
    const change = policies.createChange(findHubId, input.document, caller.name, expectedRevision);
    return (sql) => {
      const changedId = findHubId(sql);
      const finish = change(sql);
      return () => {
        const policy = finish();
        this.#logChange(changedId, policy, caller);
        return policy;
      };
    };
  }

  async try(
    caller: PersonCaller,
    hub: string,
    document: HubPolicyDocument,
    sinceMs: number | undefined,
  ): Promise<Static<typeof HubPolicyTrialResult>> {
    const { authorize, clock } = this.#dependencies;
    const { hubId } = await authorize(caller, hub, 'policy.manage');
    const toMs = clock.nowMs();
    return runPolicyTrial(this.#dependencies, hubId, document, { fromMs: sinceMs ?? toMs - dayMs, toMs });
  }

  async #assertKnownNames(
    caller: PersonCaller,
    hub: string,
    input: Omit<UpdateHubPolicyRequest, 'if_revision'>,
  ): Promise<void> {
    const { database, policies } = this.#dependencies;
    const hubId = await database.read((sql) => {
      const membership = findMembershipBySlug(sql, caller, hub);
      return membership && assertAllowedInHub(membership, hub, 'policy.manage').hubId;
    });
    // A hub that does not exist yet has no names to compare with, and one of other people shows none.
    if (hubId === undefined) return;
    const { document } = await policies.get(hubId);
    await assertKnownNames(this.#dependencies, hubId, document, input);
  }

  #logChange(hub: string, { revision, document }: HubPolicy, { personId: by }: PersonCaller): void {
    const digest = digestText(JSON.stringify(document));
    const details = { hub, revision, digest, by };
    this.#dependencies.logSecurityEvent({ event: 'hub_policy_changed', level: 'info', ...details });
  }
}
