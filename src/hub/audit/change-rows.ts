/**
 * Rows for the changes that decide calls: of the policy, of approved definitions, of connections and members. They follow the
 * change, which an audit that cannot be written does not undo.
 */

import { findHub } from '../../store/control/hubs/hubs.ts';
import { findMember } from '../../store/control/hubs/members.ts';
import { findPerson } from '../../store/control/identity/people.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import { type HubRole, hubRoles } from '../access/principal.ts';
import { digestOnly } from '../policy/call-policy.ts';
import type { AuditEntry, AuditSink } from './audit-entry.ts';

/** As services log it: `hub` and `by` are ids. */
export type HubEvent = { readonly event: string; readonly [field: string]: string | number | undefined };

export type ChangeRowsDependencies = {
  readonly database: Pick<Database, 'read'>;
  readonly audit: Pick<AuditSink, 'record'>;
  readonly clock: { nowMs(): number };
  /** Called if a row could not be written. */
  readonly onError: (error: unknown) => void;
};

/** The method of the row for an event. */
const methods: ReadonlyMap<string, string> = new Map([
  ['hub_policy_changed', 'policy changed'],
  ['hub_tool_approved', 'definition approved'],
  ['hub_connection_added', 'connection added'],
  ['hub_connection_changed', 'connection changed'],
  ['hub_connection_removed', 'connection removed'],
  ['hub_member_added', 'member added'],
  ['hub_member_changed', 'member changed'],
  ['hub_member_removed', 'member removed'],
  ['hub_member_left', 'member left'],
]);

export class ChangeRows {
  readonly #dependencies: ChangeRowsDependencies;
  #written: Promise<void> = Promise.resolve();

  constructor(dependencies: ChangeRowsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Rows are written in the order of their events; other events have none. */
  add(event: HubEvent): void {
    const method = methods.get(event.event);
    if (method === undefined) return;
    const { audit, database, clock, onError } = this.#dependencies;
    const atMs = clock.nowMs();
    this.#written = this.#written.then(async () => {
      const entry = await database.read((sql) => toEntry(sql, event, method, atMs));
      if (entry) await audit.record(entry);
    });
    this.#written = this.#written.catch(onError);
  }

  /** Resolves when the rows of all events are written. */
  settle(): Promise<void> {
    return this.#written;
  }
}

/** Undefined for a hub that was removed meanwhile. */
function toEntry(sql: Sql, event: HubEvent, method: string, atMs: number): AuditEntry | undefined {
  const { hub: hubId, by } = event;
  const hub = findHub(sql, String(hubId));
  if (!hub) return undefined;
  const personId = String(by);
  const [person, member] = [findPerson(sql, personId), findMember(sql, hub.id, personId)];
  const isOfConnection = method.startsWith('connection ');
  return {
    atMs,
    principal: {
      hub: { id: hub.id, slug: hub.slug },
      person: { personId, name: person?.name ?? personId },
      role: member?.role ?? findFormerRole(event) ?? 'owner',
      via: { kind: 'console' },
      client: undefined,
    },
    method,
    connection: isOfConnection ? { id: String(event.connection), name: String(event.name) } : undefined,
    // A row with a tool looks like a call of it.
    tool: undefined,
    arguments: undefined,
    redact: digestOnly,
    outcome: 'ok',
    reason: describe(sql, event),
    durationMs: 0,
    requestBytes: 0,
    responseBytes: 0,
    counts: 'nothing',
  };
}

/** Of somebody who left: the membership is gone. Otherwise an owner of the control plane who is no member. */
function findFormerRole({ event, role }: HubEvent): HubRole | undefined {
  return event === 'hub_member_left' ? hubRoles.find((name) => name === role) : undefined;
}

function describe(sql: Sql, { revision, digest, kind, connection, tool, person, role }: HubEvent): string | undefined {
  const name = person === undefined ? undefined : (findPerson(sql, String(person))?.name ?? String(person));
  const parts = [
    ...(revision === undefined ? [] : [`revision ${revision}`]),
    ...(kind === undefined ? [] : [tool === undefined ? `${kind}` : `${kind} ${connection}__${tool}`]),
    ...(digest === undefined ? [] : [`digest ${digest}`]),
    ...(name === undefined ? [] : [role === undefined ? name : `${name} as ${role}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}
