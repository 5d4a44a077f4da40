/** Saved views, which are named filters of the pages Runs and Scenarios: /api/v1/instances/{instance}/views. */
import { type Static, Type } from '@sinclair/typebox';
import { ScenarioId, Timestamp } from './schemas.ts';
import { maxFindLength, maxViewNameLength, resultFilters, timeSpans, viewPages } from './view-limits.ts';

export const ViewPageName = Type.Union(viewPages.map((page) => Type.Literal(page)));

/** As in the address of the page, which has only some of them. */
export const ViewFilters = Type.Object(
  {
    find: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxFindLength,
        pattern: '^[^\\u0000]*$',
        description: 'what is typed in the search of the page: texts, and terms such as `tag:smoke`',
      }),
    ),
    result: Type.Optional(Type.Union(resultFilters.map((result) => Type.Literal(result)))),
    scenario: Type.Optional(ScenarioId),
    since: Type.Optional(
      Type.Union(
        timeSpans.map((span) => Type.Literal(span)),
        { description: '`today` begins at the last midnight of the reader' },
      ),
    ),
    deleted: Type.Optional(Type.Literal('true')),
  },
  { additionalProperties: false },
);
export type ViewFilters = Static<typeof ViewFilters>;

const ViewName = Type.String({ minLength: 1, maxLength: maxViewNameLength });

export const SavedView = Type.Object({
  view_id: Type.String(),
  instance: Type.String(),
  page: ViewPageName,
  name: ViewName,
  filters: ViewFilters,
  /** False: only the person who created it sees it. */
  shared: Type.Boolean(),
  created_at: Timestamp,
  created_by: Type.String(),
  updated_at: Timestamp,
  updated_by: Type.String(),
});
export type SavedView = Static<typeof SavedView>;

/** `shared` is true by default. */
export const CreateViewRequest = Type.Object({
  page: ViewPageName,
  name: ViewName,
  filters: ViewFilters,
  shared: Type.Optional(Type.Boolean()),
});
export type CreateViewRequest = Static<typeof CreateViewRequest>;

/** What is absent stays as it is; `filters` replaces all of them. */
export const ChangeViewRequest = Type.Object({
  name: Type.Optional(ViewName),
  filters: Type.Optional(ViewFilters),
});
export type ChangeViewRequest = Static<typeof ChangeViewRequest>;
