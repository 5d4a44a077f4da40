/** Destinations that the command palette offers. */
import type { Instance, ScenarioEntry } from '../../contract/api.ts';
import type { Hub } from '../../contract/hubs/hubs-api.ts';
import { parseRunId } from '../../run/run-id.ts';
import { hubPath, runPath, runsPath, scenarioPath, scenariosPath } from '../paths.ts';

export type PaletteEntry = { readonly path: string; readonly text: string; readonly kind: string };

const pageEntries: readonly PaletteEntry[] = [
  { path: '/settings/environments', text: 'Environments', kind: 'Settings' },
  { path: '/settings/people', text: 'People and invitations', kind: 'Settings' },
  { path: '/settings/account', text: 'Your account: sessions, connected apps, API keys, password', kind: 'Settings' },
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
): PaletteEntry[] {
  const ids = instances.map(({ instance_id: id }) => id).sort((a, b) => Number(b === current) - Number(a === current));
  return [
    ...ids.flatMap((id) => [
      { path: runsPath(id), text: `Runs of ${id}`, kind: 'Instance' },
      { path: scenariosPath(id), text: `Scenarios of ${id}`, kind: 'Instance' },
    ]),
    ...hubs.flatMap(({ slug }) => [
      { path: hubPath(slug), text: `API Tokens of ${slug}`, kind: 'Hub' },
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
  const id = query.trim().replace(/^tr-/, '').split('-')[0] ?? '';
  return parseRunId(id) === undefined ? undefined : { path: runPath(id), text: `Run ${id}`, kind: 'Run' };
}
