/** Hubs: to make, rename and remove them, and to see those that one belongs to. */
import type { Hub, HubChange, HubNew } from '../contract/hub-api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { momentOf } from '../identity/person.ts';
import { connectionsOfHub } from '../store/control/hub-connections.ts';
import { deleteHub, findHub, holderOfSlug, insertHub, renameHub } from '../store/control/hub-hubs.ts';
import { membershipsOf, putMember } from '../store/control/hub-members.ts';
import type { Sql } from '../store/sql.ts';
import { keptSignIns } from './connections-grant.ts';
import { demandHub, hubRoleOf, type Standing } from './hubs-authorization.ts';
import { type HubContext, newHubId } from './hubs-context.ts';
import { demandSlug } from './hubs-slug.ts';
import type { HubPrincipal } from './words.ts';

/** Hubs as their members see them. Whoever names one throws HUB_UNKNOWN and HUB_ROLE_INSUFFICIENT. */
export type Hubs = {
  /** Those that the caller belongs to, by slug. */
  list(caller: PersonCaller): Promise<Hub[]>;
  get(caller: PersonCaller, slug: string): Promise<Hub>;
  /** The caller becomes its owner. Throws HUB_SLUG_INVALID, HUB_SLUG_TAKEN, HUB_LIMIT_REACHED. */
  create(caller: PersonCaller, input: HubNew): Promise<Hub>;
  /** Throws HUB_SLUG_INVALID, HUB_SLUG_TAKEN. */
  change(caller: PersonCaller, slug: string, input: HubChange): Promise<Hub>;
  /** With its connections and tokens. */
  remove(caller: PersonCaller, slug: string): Promise<void>;
  /** The caller as somebody who calls tools from the console. */
  principal(caller: PersonCaller, slug: string): Promise<HubPrincipal>;
};

function wireHub(sql: Sql, { hubId, role }: Standing): Hub {
  const row = findHub(sql, hubId);
  if (!row) throw vpError('INTERNAL', {}, { detail: `hub ${hubId} has members and is not there` });
  const { id, slug, name, members, connections, created_by } = row;
  return { hub_id: id, slug, name, role, members, connections, created_at: momentOf(row.created_at_ms), created_by };
}

/** See {@link Hubs}. */
export function hubsOf(context: HubContext): Hubs {
  const { database, tell, changed, signInsEnded } = context;
  const standings = (sql: Sql, caller: PersonCaller): Standing[] =>
    membershipsOf(sql, caller.personId).map(({ hub_id: hubId, slug, role }) => ({
      hubId,
      slug,
      role: hubRoleOf(caller, role),
    }));
  return {
    list: (caller) => database.read((sql) => standings(sql, caller).map((standing) => wireHub(sql, standing))),
    get: (caller, slug) => database.read((sql) => wireHub(sql, demandHub(sql, caller, slug, 'hub.see'))),
    create: (caller, input) => create(context, caller, input),
    change: (caller, slug, input) => change(context, caller, slug, input),
    async remove(caller, slug) {
      const { hubId, ended } = await database.write((sql) => {
        const { hubId } = demandHub(sql, caller, slug, 'hub.remove');
        const ended = keptSignIns(context, sql, connectionsOfHub(sql, hubId));
        deleteHub(sql, hubId);
        return { hubId, ended };
      });
      tell({ event: 'hub_removed', level: 'info', hub: hubId, slug, by: caller.personId });
      changed(hubId);
      signInsEnded(ended);
    },
    async principal(caller, slug) {
      const { hubId, role } = await database.read((sql) => demandHub(sql, caller, slug, 'hub.see'));
      const { personId, name } = caller;
      return {
        hub: { id: hubId, slug },
        person: { personId, name },
        role,
        via: { kind: 'console' },
        client: undefined,
      };
    },
  };
}

/** Throws HUB_SLUG_INVALID; HUB_SLUG_TAKEN where it was ever another hub's. */
function demandFreeSlug(sql: Sql, slug: string, hubId?: string): void {
  demandSlug(slug);
  const holder = holderOfSlug(sql, slug);
  if (holder !== undefined && holder !== hubId) throw vpError('HUB_SLUG_TAKEN', { slug });
}

function demandRoom({ settings: { mostHubs: most } }: HubContext, sql: Sql, { personId }: PersonCaller): void {
  const owned = membershipsOf(sql, personId).filter(({ role }) => role === 'owner').length;
  const cure = 'remove one that nobody uses, or let somebody else own it';
  if (owned >= most) throw vpError('HUB_LIMIT_REACHED', { most, what: 'hubs of yours', cure });
}

async function create(context: HubContext, caller: PersonCaller, { slug, name }: HubNew): Promise<Hub> {
  const { database, clock, tell } = context;
  const { personId } = caller;
  const nowMs = clock.nowMs();
  const id = newHubId(context);
  const hub = await database.write((sql) => {
    demandFreeSlug(sql, slug);
    demandRoom(context, sql, caller);
    insertHub(sql, { id, slug, name: name?.trim() || slug, created_at_ms: nowMs, created_by: caller.name });
    putMember(sql, id, { personId, role: 'owner', nowMs });
    return wireHub(sql, demandHub(sql, caller, slug, 'hub.see'));
  });
  tell({ event: 'hub_created', level: 'info', hub: id, slug, by: personId });
  return hub;
}

async function change(context: HubContext, caller: PersonCaller, slug: string, input: HubChange): Promise<Hub> {
  const { database, tell, changed } = context;
  const hub = await database.write((sql) => {
    const standing = demandHub(sql, caller, slug, 'hub.rename');
    const next = input.slug ?? slug;
    if (next !== slug) demandFreeSlug(sql, next, standing.hubId);
    const name = input.name?.trim() || wireHub(sql, standing).name;
    renameHub(sql, standing.hubId, { slug: next, name });
    return wireHub(sql, standing);
  });
  tell({ event: 'hub_renamed', level: 'info', hub: hub.hub_id, slug: hub.slug, before: slug, by: caller.personId });
  changed(hub.hub_id);
  return hub;
}
