/** Flags of `vp views`, and how a view is named on a command line. */
import type { Client } from '../../client/client.ts';
import type { FlagDefinitions, FlagValues, Positional } from '../../command-line/command.ts';
import { resultFilters, timeSpans, type ViewPage, viewFilterNames, viewPages } from '../../contract/view-limits.ts';
import type { SavedView, ViewFilters } from '../../contract/views-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';

export const viewFlags = { instance: instanceFlag, ...controlPlaneFlags } as const satisfies FlagDefinitions;

export const viewArgument = {
  name: 'view',
  describe: 'name or id of the view, from `vp views list`',
  required: true,
  kind: 'view',
} as const satisfies Positional;

export const viewFilterFlags = {
  find: { type: 'string', placeholder: '<text>', describe: 'what is typed in the search: "tag:smoke refused"' },
  result: { type: 'string', placeholder: '<result>', choices: resultFilters, describe: 'only runs with this result' },
  scenario: { type: 'string', placeholder: '<ID>', describe: 'only runs of this scenario', kind: 'scenario' },
  since: { type: 'string', placeholder: '<span>', choices: timeSpans, describe: 'only runs of this time' },
  deleted: { type: 'boolean', default: false, describe: 'only deleted scenarios' },
} as const satisfies FlagDefinitions;

export function toViewFilters(flags: FlagValues<typeof viewFilterFlags>): ViewFilters {
  const { find, scenario, deleted } = flags;
  const result = resultFilters.find((name) => name === flags.result);
  const since = timeSpans.find((name) => name === flags.since);
  return {
    ...(find === undefined ? {} : { find }),
    ...(result === undefined ? {} : { result }),
    ...(scenario === undefined ? {} : { scenario }),
    ...(since === undefined ? {} : { since }),
    ...(deleted ? { deleted: 'true' } : {}),
  };
}

/** Throws VIEW_UNKNOWN, VIEW_AMBIGUOUS, VIEW_OF_OTHER_PAGE. */
export async function readViewFilters(
  client: Client['views'],
  instance: string,
  text: string,
  expected: ViewPage,
): Promise<ViewFilters> {
  const { page, name, filters } = await findView(client, instance, text, expected);
  if (page !== expected) throw vpError('VIEW_OF_OTHER_PAGE', { name, page, expected, instance });
  return filters;
}

/** As on the command line: `find "tag:smoke", since 24h`. */
export function formatViewFilters({ page, filters }: Pick<SavedView, 'page' | 'filters'>): string {
  const names: readonly (keyof ViewFilters)[] = viewFilterNames[page];
  return names
    .flatMap((name) => (filters[name] === undefined ? [] : [name === 'deleted' ? name : `${name} ${filters[name]}`]))
    .join(', ');
}

export function parseViewPage(text: string): ViewPage {
  return viewPages.find((page) => page === text) ?? 'runs';
}

type ConnectionFlags = Parameters<typeof openClient>[0] & { readonly instance: string | undefined };

export async function openViews(flags: ConnectionFlags, environment: Environment) {
  const client = await openClient(flags, environment);
  const { instance_id: instance } = await selectInstance(client, flags.instance);
  return { views: client.views, instance };
}

/**
 * By its id, else by its name in any case of letters. `page`: where several have the name, the one of that page. Throws
 * VIEW_UNKNOWN, VIEW_AMBIGUOUS.
 */
export async function findView(
  client: Client['views'],
  instance: string,
  text: string,
  page?: ViewPage,
): Promise<SavedView> {
  const views = await client.list(instance);
  const byId = views.find(({ view_id: id }) => id === text);
  if (byId) return byId;
  const named = views.filter(({ name }) => name.toLowerCase() === text.trim().toLowerCase());
  const ofPage = named.filter((view) => page === undefined || view.page === page);
  const matches = ofPage.length > 0 ? ofPage : named;
  const [view] = matches;
  if (!view) throw vpError('VIEW_UNKNOWN', { instance, view: text });
  if (matches.length > 1)
    throw vpError('VIEW_AMBIGUOUS', { instance, name: text, views: matches.map(describeView).join(', ') });
  return view;
}

function describeView({ view_id: id, page, shared }: SavedView): string {
  return `${id} (${page}${shared ? '' : ', personal'})`;
}

export function formatView(view: SavedView): string {
  const audience = view.shared ? 'shared' : 'personal';
  return escapeUnsafeLine(`view ${view.name} of ${view.page}, ${audience}: ${formatViewFilters(view)}`);
}
