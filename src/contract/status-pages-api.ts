/** Pages and badges for people without an account: /api/v1/instances/{instance}/status-pages, and /status. */
import { type Static, Type } from '@sinclair/typebox';
import { scenarioStatuses, statusStates } from '../insight/status-summary.ts';
import { nullable, Timestamp } from './schemas.ts';
import { maxStaleAfterS, maxStatusPageTitleLength, maxSuiteTextLength, minStaleAfterS } from './status-page-limits.ts';

const StaleAfter = Type.Integer({ minimum: minStaleAfterS, maximum: maxStaleAfterS });
const SuiteText = Type.String({ minLength: 1, maxLength: maxSuiteTextLength });
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50 });

export const StatusPage = Type.Object({
  status_page_id: Type.String(),
  instance: Type.String(),
  /** Public. */
  title: Type.String(),
  /** Scenarios with one of these tags; none: all. */
  tags: Tags,
  /** Only runs of suites with this name. */
  suite: nullable(Type.String()),
  /** Only runs of suites of this branch. */
  branch: nullable(Type.String()),
  /** Null: twice the usual interval. */
  stale_after_s: nullable(StaleAfter),
  until: Timestamp,
  /** The page, its badge and its link say nothing any more. */
  ended: Type.Boolean(),
  created_by: Type.String(),
  created_at: Timestamp,
  /** Of the page or the badge, to ten minutes. */
  last_viewed_at: nullable(Timestamp),
});
export type StatusPage = Static<typeof StatusPage>;

export const CreateStatusPageRequest = Type.Object({
  title: Type.String({ minLength: 1, maxLength: maxStatusPageTitleLength }),
  until: Timestamp,
  tags: Type.Optional(Tags),
  suite: Type.Optional(SuiteText),
  branch: Type.Optional(SuiteText),
  stale_after_s: Type.Optional(StaleAfter),
});
export type CreateStatusPageRequest = Static<typeof CreateStatusPageRequest>;

/** The addresses are returned only here. */
export const CreateStatusPageResponse = Type.Object({
  status_page: StatusPage,
  url: Type.String(),
  badge_url: Type.String(),
});
export type CreateStatusPageResponse = Static<typeof CreateStatusPageResponse>;

export const ExtendStatusPageRequest = Type.Object({ until: Timestamp });
export type ExtendStatusPageRequest = Static<typeof ExtendStatusPageRequest>;

const Count = Type.Integer({ minimum: 0 });

/** Judged runs in the window, at most the newest hundred; `not_judged` are not among them. */
export const PublicScenario = Type.Object({
  title: Type.String(),
  state: Type.Union(scenarioStatuses.map((status) => Type.Literal(status))),
  last_run_at: nullable(Timestamp),
  passed: Count,
  failed: Count,
  not_judged: Count,
});
export type PublicScenario = Static<typeof PublicScenario>;

/** All that people with the link learn: no ids, checks, messages, bodies or addresses. */
export const PublicStatus = Type.Object({
  title: Type.String(),
  state: Type.Union(statusStates.map((state) => Type.Literal(state))),
  /** The text of the badge. */
  message: Type.String(),
  last_run_at: nullable(Timestamp),
  /** When nothing ran for so long, the state is `stale`. */
  stale_after_s: Type.Integer(),
  window_days: Type.Integer(),
  until: Timestamp,
  counts: Type.Object({
    passing: Count,
    failing: Count,
    not_judged: Count,
    stale: Count,
    not_run: Count,
    /** In no other count. */
    quarantined: Count,
  }),
  /** Worst first, at most three hundred; the counts are of all. */
  scenarios: Type.Array(PublicScenario),
  quarantined: Type.Array(PublicScenario),
  omitted_scenarios: Count,
  /** Newest first. */
  failures: Type.Array(
    Type.Object({ scenario: Type.String(), at: Timestamp, reason: Type.String(), quarantined: Type.Boolean() }),
  ),
});
export type PublicStatus = Static<typeof PublicStatus>;
