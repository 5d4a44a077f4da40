/** The revision of a hub: what somebody read who changes several parts of it at once. */
import { createHash } from 'node:crypto';
import { vpError } from '../../errors/vp-error.ts';
import { listConnections } from '../../store/control/hubs/connections.ts';
import { findHub } from '../../store/control/hubs/hubs.ts';
import { listMembers } from '../../store/control/hubs/members.ts';
import { findNewestPolicy } from '../../store/control/hubs/policies.ts';
import type { Sql } from '../../store/sql.ts';
import { toCredentialView } from '../connections/credential.ts';

const revisionLength = 20;

/**
 * Computed from what is stored, so that no writer can forget it: settings, members, connections and policy. Differs after each change but
 * that of a secret. Revisions are written into files, so that the same hub must keep its revision from version to version.
 */
export function readHubRevision(sql: Sql, hubId: string): string {
  sql.ahead((ahead) => findHub(ahead, hubId));
  sql.ahead((ahead) => findNewestPolicy(ahead, hubId));
  sql.ahead((ahead) => listMembers(ahead, hubId));
  sql.ahead((ahead) => listConnections(ahead, hubId));
  const hub = findHub(sql, hubId);
  if (!hub) throw vpError('INTERNAL', {}, { detail: `hub ${hubId} has a revision but is missing` });
  const facts = [
    [hub.id, hub.slug, hub.name, hub.tool_list, findNewestPolicy(sql, hubId)?.revision ?? 0],
    listMembers(sql, hubId)
      .map(({ person_id: id, role }) => `${id} ${role}`)
      .sort(),
    listConnections(sql, hubId)
      .map((row) => {
        const { id, name, kind, url, command, enabled, protocol } = row;
        return JSON.stringify([id, name, kind, url, command, enabled === 1, toCredentialView(row), protocol]);
      })
      .sort(),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, revisionLength);
}
