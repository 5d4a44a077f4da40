/** Destinations that the command palette offers. */
import type { Instance, ScenarioEntry } from '../../contract/api.ts';
import type { Hub } from '../../contract/hubs/hubs-api.ts';
import type { SavedView } from '../../contract/views-api.ts';
import { parseRunId } from '../../run/run-id.ts';
import { hubPath, runPath, scenarioPath } from '../paths.ts';
import { instancePages } from '../shell/instance-pages.ts';
import { viewPageTitles, viewPath } from '../views/use-views.ts';

export type PaletteEntry = { readonly path: string; readonly text: string; readonly kind: string };

const pageEntries: readonly PaletteEntry[] = [
  { path: '/', text: 'Overview', kind: 'Page' },
  { path: '/settings/environments', text: 'Environments', kind: 'Settings' },
  { path: '/settings/notifications', text: 'Notifications: channels and log', kind: 'Settings' },
  { path: '/settings/people', text: 'People and invitations', kind: 'Settings' },
  { path: '/settings/account', text: 'Your account: sessions, connected apps, API keys, password', kind: 'Settings' },
  { path: '/settings/system', text: 'System: store and replicas', kind: 'Settings' },
  { path: '/hubs', text: 'Your hubs', kind: 'Page' },
  { path: '/registry', text: 'Registry of MCP servers', kind: 'Page' },
  { path: '/device', text: 'Connect a device', kind: 'Page' },
];

/** Entries of the current instance come first. */
export function listPaletteEntries(
  instances: readonly Pick<Instance, 'instance_id'>[],
  current: string | undefined,
  scenarios: readonly Pick<ScenarioEntry, 'scenario_id' | 'title'>[],
  hubs: readonly Pick<Hub, 'slug'>[] = [],
  views: readonly SavedView[] = [],
): PaletteEntry[] {
  const ids = instances.map(({ instance_id: id }) => id).sort((a, b) => Number(b === current) - Number(a === current));
  return [
    ...ids.flatMap((id) =>
      instancePages.map(({ toPath, title }) => ({ path: toPath(id), text: `${title} ${id}`, kind: 'Environment' })),
    ),
    ...views.map((view) => ({
      path: viewPath(view.instance, view),
      text: `${view.name}: ${viewPageTitles[view.page]} of ${view.instance}`,
      kind: 'View',
    })),
    ...hubs.flatMap(({ slug }) => [
      { path: hubPath(slug), text: `API Tokens of ${slug}`, kind: 'Hub' },
      { path: hubPath(slug, 'approvals'), text: `Approvals of ${slug}`, kind: 'Hub' },
      { path: hubPath(slug, 'usage'), text: `Usage of ${slug}`, kind: 'Hub' },
      { path: hubPath(slug, 'audit'), text: `Audit of ${slug}`, kind: 'Hub' },
      { path: hubPath(slug, 'connections'), text: `Connections of ${slug}`, kind: 'Hub' },
      { path: hubPath(slug, 'tools'), text: `Tools of ${slug}`, kind: 'Hub' },
      { path: hubPath(slug, 'try'), text: `Try a tool of ${slug}`, kind: 'Hub' },
      { path: hubPath(slug, 'policy'), text: `Policy of ${slug}`, kind: 'Hub' },
      { path: hubPath(slug, 'connect'), text: `Connect a client to ${slug}`, kind: 'Hub' },
      { path: hubPath(slug, 'members'), text: `Members of ${slug}`, kind: 'Hub' },
    ]),
    ...pageEntries,
    ...scenarios.map(({ scenario_id: id, title }) => ({
      path: scenarioPath(current ?? '', id),
      text: `${id} ${title}`,
      kind: 'Scenario',
    })),
  ];
}

/** Undefined if the query is not a run id or correlation id. */
export function findRunEntry(query: string): PaletteEntry | undefined {
  const id = readRunIdPart(query);
  return id === undefined || parseRunId(id) === undefined ? undefined : toRunPaletteEntry(id);
}

export function toRunPaletteEntry(id: string, scenario = ''): PaletteEntry {
  return { path: runPath(id), text: `Run ${id}${scenario === '' ? '' : ` ${scenario}`}`, kind: 'Run' };
}

/** A run id, or at least four of its digits; undefined for other text. */
export function readRunIdPart(query: string): string | undefined {
  const part = query.trim().toUpperCase().replace(/^TR-/, '').split('-')[0] ?? '';
  return /^\d*T?\d*$/.test(part) && part.replace('T', '').length >= 4 && part.length <= 18 ? part : undefined;
}

const dayMs = 86_400_000;
/** The time that an id with so many characters missing at its end can stand for. */
const spansMs = [1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, dayMs, dayMs];
const runIdLength = 18;

/** The time in which runs were requested whose id begins with `part`; undefined if it is no complete date. */
export function toRunIdRange(part: string): { readonly since: string; readonly until: string } | undefined {
  const missing = runIdLength - part.length;
  const spanMs = spansMs[missing];
  const lowMs = parseRunId(part + 'T000000000'.slice(10 - missing));
  const dayEndMs = parseRunId(`${part.slice(0, 8)}T000000000`);
  if (spanMs === undefined || lowMs === undefined || dayEndMs === undefined) return undefined;
  const endMs = Math.min(lowMs + spanMs, dayEndMs + dayMs);
  return { since: new Date(lowMs).toISOString(), until: new Date(endMs).toISOString() };
}
