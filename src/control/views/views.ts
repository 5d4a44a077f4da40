/** Saved views. Names and limits are checked in the transaction that writes. */

import { formatTimestamp } from '../../contract/timestamp.ts';
import type { ViewPage } from '../../contract/view-limits.ts';
import { maxViews, viewFilterNames, viewPages } from '../../contract/view-limits.ts';
import type { SavedView, ViewFilters } from '../../contract/views-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  deleteSavedView,
  insertSavedView,
  listSavedViews,
  type SavedViewRow,
  updateSavedView,
} from '../../store/control/views/saved-views.ts';
import type { Sql } from '../../store/sql.ts';
import { requireInstance } from '../instances/instances.ts';
import type { Actor } from '../list-types.ts';
import type { ControlRuntime } from '../runtime.ts';
import type { ViewsService } from './views-service.ts';

function requireView(sql: Sql, instance: string, view: string, { personId }: Actor): SavedViewRow {
  requireInstance(sql, instance);
  const row = listSavedViews(sql, instance, personId).find(({ id }) => id === view);
  if (!row) throw vpError('VIEW_UNKNOWN', { instance, view });
  return row;
}

function toPageName(text: string): ViewPage {
  return viewPages.find((name) => name === text) ?? 'runs';
}

function readFilters({ filters }: SavedViewRow): ViewFilters {
  // Written by serializeFilters, from a body that had passed its schema.
  return JSON.parse(filters);
}

function toView(row: SavedViewRow): SavedView {
  return {
    view_id: row.id,
    instance: row.instance_id,
    page: toPageName(row.page),
    name: row.name,
    filters: readFilters(row),
    shared: row.person_id === null,
    created_at: formatTimestamp(row.created_at_ms),
    created_by: row.created_by,
    updated_at: formatTimestamp(row.updated_at_ms),
    updated_by: row.updated_by,
  };
}

function refuse(page: ViewPage, problem: string) {
  return vpError('VIEW_INVALID', { page, problem, filters: viewFilterNames[page].join(', ') });
}

/** With single spaces. */
function normalizeName(page: ViewPage, name: string): string {
  const normalized = name.replaceAll(/\s+/g, ' ').trim();
  if (normalized === '') throw refuse(page, 'it has no name');
  return normalized;
}

/** As JSON, in the order of the page's filters. */
function serializeFilters(page: ViewPage, filters: ViewFilters): string {
  const names: readonly string[] = viewFilterNames[page];
  const foreign = Object.keys(filters).find((name) => !names.includes(name));
  if (foreign !== undefined) throw refuse(page, `the page has no filter ${foreign}`);
  const given = names.flatMap((name) => {
    const value = filters[name as keyof ViewFilters]?.trim();
    return value ? [[name, value] as const] : [];
  });
  if (given.length === 0) throw refuse(page, 'it has no filter, and would show everything');
  return JSON.stringify(Object.fromEntries(given));
}

/** Names are compared without regard to the case of letters, among the views of the page that the actor may see. */
function assertNameFree(
  rows: readonly SavedViewRow[],
  { instance_id: instance, id, page, name }: Pick<SavedViewRow, 'instance_id' | 'id' | 'page' | 'name'>,
): void {
  const other = rows.find((row) => row.id !== id && row.page === page && row.name.toLowerCase() === name.toLowerCase());
  if (other) throw vpError('VIEW_NAME_TAKEN', { instance, name, page, view: other.id });
}

const idBytes = 8;

export function createViewsService({ context: { store, clock, random } }: ControlRuntime): ViewsService {
  const { database } = store;
  return {
    list: (instance, reader, page) =>
      database.read((sql) => {
        requireInstance(sql, instance);
        const rows = listSavedViews(sql, instance, reader.personId);
        return rows.filter((row) => page === undefined || row.page === page).map(toView);
      }),
    get: (instance, view, reader) => database.read((sql) => toView(requireView(sql, instance, view, reader))),
    async create(instance, { page, name, filters, shared = true }, actor) {
      if (!shared && actor.personId === undefined) throw vpError('VIEW_PERSON_NEEDED', {});
      const nowMs = clock.nowMs();
      const row: SavedViewRow = {
        ...{ instance_id: instance, id: Buffer.from(random.bytes(idBytes)).toString('hex'), page },
        ...{ name: normalizeName(page, name), filters: serializeFilters(page, filters) },
        person_id: shared ? null : (actor.personId ?? null),
        ...{ created_by: actor.name, created_at_ms: nowMs, updated_by: actor.name, updated_at_ms: nowMs },
      };
      return database.write((sql) => {
        requireInstance(sql, instance);
        const rows = listSavedViews(sql, instance, actor.personId);
        assertNameFree(rows, row);
        if (rows.filter(({ person_id: person }) => person === row.person_id).length >= maxViews)
          throw vpError('VIEW_LIMIT_REACHED', { instance, max: maxViews, kind: shared ? 'shared' : 'personal' });
        insertSavedView(sql, row);
        return toView(row);
      });
    },
    change(instance, view, { name, filters }, actor) {
      const nowMs = clock.nowMs();
      return database.write((sql) => {
        const before = requireView(sql, instance, view, actor);
        const page = toPageName(before.page);
        const row: SavedViewRow = {
          ...before,
          ...(name === undefined ? {} : { name: normalizeName(page, name) }),
          ...(filters === undefined ? {} : { filters: serializeFilters(page, filters) }),
          ...{ updated_by: actor.name, updated_at_ms: nowMs },
        };
        assertNameFree(listSavedViews(sql, instance, actor.personId), row);
        updateSavedView(sql, row);
        return toView(row);
      });
    },
    remove: (instance, view, actor) =>
      database.write((sql) => {
        requireView(sql, instance, view, actor);
        deleteSavedView(sql, instance, view);
      }),
  };
}
