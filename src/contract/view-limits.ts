/** What views-api.ts and the pages have in common; without a schema, for the console's first page. */

/** Those that everyone sees of one instance, and apart from them the personal ones of one person. */
export const maxViews = 100;
export const maxViewNameLength = 60;
export const maxFindLength = 1000;

/** The filters of each page that a view may have, named as in the address of the page. */
export const viewFilterNames = {
  runs: ['find', 'result', 'scenario', 'since'],
  scenarios: ['find', 'deleted'],
} as const;
export type ViewPage = keyof typeof viewFilterNames;
export const viewPages = Object.keys(viewFilterNames) as readonly ViewPage[];

/** `failed` and `broken` are results, the others states before a result. */
export const resultFilters = ['failed', 'broken', 'running', 'queued'] as const;
export type ResultFilter = (typeof resultFilters)[number];

/** Of a fixed length before now, or since the last midnight. */
export const timeSpans = ['today', '1h', '24h', '7d', '30d'] as const;
export type TimeSpan = (typeof timeSpans)[number];
