/**
 * Search for runs: parameters of GET /runs and /instances/{instance}/runs. One request examines a bounded number of runs: a
 * page may have fewer than requested, or none, and still a `next_cursor` to continue with.
 */
import { type Static, Type } from '@sinclair/typebox';
import { pageSchema, Run } from './api.ts';
import { FailureId, TargetVersion, Timestamp } from './schemas.ts';

/** Enough for what people type. */
const maxSearchTexts = 8;
const maxSearchTextLength = 200;

const searchText = (description: string) =>
  Type.String({ minLength: 1, maxLength: maxSearchTextLength, pattern: '^[^\\u0000]*$', description });

export const RequestPathPrefix = Type.String({
  ...searchText('how the path of one of the requests of the scenario begins'),
  pattern: '^/[^\\u0000]*$',
});

export const RunSearchParameters = Type.Object({
  text: Type.Optional(
    Type.Array(
      searchText(
        'in the id, title, tags or owner of the scenario, or in what failed; one that begins with `/` also how the path of a request begins',
      ),
      { maxItems: maxSearchTexts, description: 'May be repeated; all must be found, in any case of letters' },
    ),
  ),
  path: Type.Optional(RequestPathPrefix),
  tag: Type.Optional(
    Type.Array(searchText('a tag of the scenario'), {
      maxItems: maxSearchTexts,
      description: 'May be repeated; the scenario has all of them',
    }),
  ),
  owner: Type.Optional(searchText('the owner of the scenario')),
  target_version: Type.Optional(TargetVersion),
  branch: Type.Optional(searchText('of the suite')),
  commit: Type.Optional(searchText('how the commit of the suite begins')),
  failure: Type.Optional(FailureId),
  schedule: Type.Optional(searchText('the schedule that requested it')),
});
export type RunSearchParameters = Static<typeof RunSearchParameters>;

/** Runs requested before `looked_until` have not been examined; absent where all have, or the page is full. */
export const RunPage = Type.Composite([pageSchema(Run), Type.Object({ looked_until: Type.Optional(Timestamp) })]);
export type RunPage = {
  readonly items: readonly Run[];
  readonly next_cursor: string | null;
  readonly looked_until?: string;
};
