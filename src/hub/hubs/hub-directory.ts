/** Creates, renames, removes and lists hubs. */
import type {
  CreateHubRequest,
  ExpectedHubSettings,
  Hub,
  HubDetails,
  UpdateHubRequest,
} from '../../contract/hubs/hubs-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { listConnections } from '../../store/control/hubs/connections.ts';
import {
  deleteHub,
  findHub,
  findHubIdBySlug,
  insertHub,
  renameHub,
  setHubToolList,
} from '../../store/control/hubs/hubs.ts';
import { listPersonMemberships, upsertMember } from '../../store/control/hubs/members.ts';
import type { Sql } from '../../store/sql.ts';
import { authorizeInHub, findMembership, getEffectiveRole, type HubMembership } from '../access/permissions.ts';
import type { HubPrincipal } from '../access/principal.ts';
import { makeChange, type PreparedChange } from '../changes/hub-change.ts';
import { readHubRevision } from '../changes/hub-revision.ts';
import { createHubId, type HubContext } from '../context.ts';
import { listStoredSignIns } from '../sign-in/stored-sign-ins.ts';

/** Each method that names a hub throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export type HubDirectory = {
  /** The caller's hubs, by slug. */
  list(caller: PersonCaller): Promise<Hub[]>;
  get(caller: PersonCaller, slug: string): Promise<HubDetails>;
  /** The caller becomes its owner. Throws HUB_SLUG_INVALID, HUB_SLUG_TAKEN, HUB_LIMIT_REACHED. */
  create(caller: PersonCaller, input: CreateHubRequest): Promise<Hub>;
  /** Throws HUB_SLUG_INVALID, HUB_SLUG_TAKEN, HUB_SETTINGS_CHANGED. */
  change(caller: PersonCaller, slug: string, input: UpdateHubRequest): Promise<Hub>;
  /** Removes its connections and tokens too. */
  remove(caller: PersonCaller, slug: string): Promise<void>;
  /** The caller as a principal for calls from the console. */
  principal(caller: PersonCaller, slug: string): Promise<HubPrincipal>;
};

function toHub(sql: Sql, { hubId, role }: HubMembership): Hub {
  const row = findHub(sql, hubId);
  if (!row) throw vpError('INTERNAL', {}, { detail: `hub ${hubId} has members but is missing` });
  const { id, slug, name, members, connections, created_by } = row;
  return {
    hub_id: id,
    slug,
    name,
    role,
    members,
    connections,
    tool_list: row.tool_list,
    created_at: formatTimestamp(row.created_at_ms),
    created_by,
  };
}

function toHubDetails(sql: Sql, membership: HubMembership): HubDetails {
  return { ...toHub(sql, membership), revision: readHubRevision(sql, membership.hubId) };
}

/** The hub that its owner has just changed, also where that owner is no longer a member. */
export function readChangedHub(sql: Sql, caller: PersonCaller, slug: string): HubDetails {
  const hubId = findHubIdBySlug(sql, slug);
  if (hubId === undefined) throw vpError('HUB_UNKNOWN', { hub: slug });
  return toHubDetails(sql, { hubId, slug, role: findMembership(sql, caller, hubId)?.role ?? 'owner' });
}

export function createHubDirectory(context: HubContext): HubDirectory {
  const { database, logSecurityEvent, notifyHubChanged, notifySignInsRemoved } = context;
  const listMemberships = (sql: Sql, caller: PersonCaller): HubMembership[] =>
    listPersonMemberships(sql, caller.personId).map(({ hub_id: hubId, slug, role }) => ({
      hubId,
      slug,
      role: getEffectiveRole(caller, role),
    }));
  return {
    list: (caller) => database.read((sql) => listMemberships(sql, caller).map((membership) => toHub(sql, membership))),
    get: (caller, slug) => database.read((sql) => toHubDetails(sql, authorizeInHub(sql, caller, slug, 'hub.see'))),
    create: (caller, input) => makeChange(database, createHubCreation(context, caller, input)),
    change: (caller, slug, input) => makeChange(database, createSettingsChange(context, caller, slug, input)),
    async remove(caller, slug) {
      const { hubId, removedSignIns } = await database.write((sql) => {
        const { hubId } = authorizeInHub(sql, caller, slug, 'hub.remove');
        const removedSignIns = listStoredSignIns(context, sql, listConnections(sql, hubId));
        deleteHub(sql, hubId);
        return { hubId, removedSignIns };
      });
      logSecurityEvent({ event: 'hub_removed', level: 'info', hub: hubId, slug, by: caller.personId });
      notifyHubChanged(hubId);
      notifySignInsRemoved(removedSignIns);
    },
    async principal(caller, slug) {
      const { hubId, role } = await database.read((sql) => authorizeInHub(sql, caller, slug, 'hub.see'));
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

/** Throws HUB_SLUG_INVALID, or HUB_SLUG_TAKEN if another hub has ever had the slug. */
function assertSlugFree(sql: Sql, slug: string, hubId?: string): void {
  assertHubSlug(slug);
  const holderId = findHubIdBySlug(sql, slug);
  if (holderId !== undefined && holderId !== hubId) throw vpError('HUB_SLUG_TAKEN', { slug });
}

function assertHubLimit({ settings: { maxHubs: max } }: HubContext, sql: Sql, { personId }: PersonCaller): void {
  const owned = listPersonMemberships(sql, personId).filter(({ role }) => role === 'owner').length;
  const cure = 'remove an unused hub, or make another member its owner';
  if (owned >= max) throw vpError('HUB_LIMIT_REACHED', { max, items: 'hubs that you own', cure });
}

export function createHubCreation(
  context: HubContext,
  caller: PersonCaller,
  { slug, name }: CreateHubRequest,
): PreparedChange<Hub> {
  const { clock, logSecurityEvent } = context;
  const { personId } = caller;
  const nowMs = clock.nowMs();
  const id = createHubId(context);
  return (sql) => {
    assertSlugFree(sql, slug);
    assertHubLimit(context, sql, caller);
    insertHub(sql, { id, slug, name: name?.trim() || slug, created_at_ms: nowMs, created_by: caller.name });
    upsertMember(sql, id, { personId, role: 'owner', nowMs });
    const hub = toHub(sql, authorizeInHub(sql, caller, slug, 'hub.see'));
    return () => {
      logSecurityEvent({ event: 'hub_created', level: 'info', hub: id, slug, by: personId });
      return hub;
    };
  };
}

export function createSettingsChange(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  input: UpdateHubRequest,
): PreparedChange<Hub> {
  const { logSecurityEvent, notifyHubChanged } = context;
  return (sql) => {
    const membership = authorizeInHub(sql, caller, slug, 'hub.rename');
    const before = toHub(sql, membership);
    assertSettings(before, input.if_settings);
    const nextSlug = input.slug ?? slug;
    if (nextSlug !== slug) assertSlugFree(sql, nextSlug, membership.hubId);
    const name = input.name?.trim() || before.name;
    renameHub(sql, membership.hubId, { slug: nextSlug, name });
    if (input.tool_list) setHubToolList(sql, membership.hubId, input.tool_list);
    const hub = toHub(sql, membership);
    return () => {
      logSecurityEvent({
        event: input.slug === undefined && input.name === undefined ? 'hub_changed' : 'hub_renamed',
        level: 'info',
        hub: hub.hub_id,
        slug: hub.slug,
        before: slug,
        tool_list: hub.tool_list,
        by: caller.personId,
      });
      notifyHubChanged(hub.hub_id);
      return hub;
    };
  };
}

/** Throws HUB_SETTINGS_CHANGED. */
function assertSettings({ slug, name, tool_list }: Hub, expected: ExpectedHubSettings = {}): void {
  const actual = { name, tool_list };
  for (const [setting, text] of [
    ['name', 'name'],
    ['tool_list', 'tool list'],
  ] as const) {
    const value = expected[setting];
    if (value === undefined || value === actual[setting]) continue;
    throw vpError(
      'HUB_SETTINGS_CHANGED',
      { hub: slug, setting: text, expected: value, actual: actual[setting] },
      { diagnostics: [{ expected, actual }] },
    );
  }
}

/** Words that appear, or may appear, in the place of slugs, or that could pass for the service itself. */
const reservedSlugs: ReadonlySet<string> = new Set(
  `account admin administrator agent agents api assets auth authorize callback connections console dashboard default device
   hub hubs interaction invitation login logout mcp me members memory metadata metrics new oauth owner policies policy
   register registry root session settings setup sign-in sign-out single-sign-on token tokens v0 v1 vp well-known www`.split(
    /\s+/,
  ),
);

function findSlugProblem(slug: string): string | undefined {
  if (slug.length < 2) return 'is too short';
  if (slug.length > 40) return 'is too long';
  if (!/^[a-z0-9-]+$/.test(slug)) return 'has characters other than lowercase letters, digits and hyphens';
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)) return 'starts or ends with a hyphen, or has two in a row';
  return reservedSlugs.has(slug) ? 'is reserved' : undefined;
}

/** Throws HUB_SLUG_INVALID. */
export function assertHubSlug(slug: string): void {
  const problem = findSlugProblem(slug);
  if (problem !== undefined) throw vpError('HUB_SLUG_INVALID', { slug: slug.slice(0, 60), problem });
}
