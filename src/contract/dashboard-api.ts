/** What the dashboard's page reads of its server: a panel and a range are named, never a query. */
import { type Static, Type } from '@sinclair/typebox';
import { Moment, nullable } from './words.ts';

/** Stretches of time that can be looked at, ending now. */
export const dashboardRanges = ['1h', '6h', '24h', '7d', '30d'] as const;
/** One of {@link dashboardRanges}. */
export type DashboardRange = (typeof dashboardRanges)[number];

/** What the numbers of a panel are. `share`: 0 to 1. */
export const dashboardUnits = ['per_minute', 'share', 'seconds', 'runs'] as const;
/** One of {@link dashboardUnits}. */
export type DashboardUnit = (typeof dashboardUnits)[number];

const Range = Type.Unsafe<DashboardRange>({ type: 'string', enum: [...dashboardRanges] });
const Unit = Type.Unsafe<DashboardUnit>({ type: 'string', enum: [...dashboardUnits] });

/** Every call but that of the list. */
export const RangeQuery = Type.Object({ range: Range });

/** GET /api/panels: the charts, in their order. */
export const PanelList = Type.Object({
  version: Type.String(),
  panels: Type.Array(Type.Object({ id: Type.String(), title: Type.String(), meaning: Type.String(), unit: Unit })),
});
/** See {@link PanelList}. */
export type PanelList = Static<typeof PanelList>;

/** GET /api/panels/{panel}: lines over shared moments, in seconds since 1970; null where there is no value. */
export const PanelAnswer = Type.Object({
  times: Type.Array(Type.Number()),
  lines: Type.Array(
    Type.Object({ instance: Type.String(), label: Type.String(), values: Type.Array(nullable(Type.Number())) }),
  ),
});
/** See {@link PanelAnswer}. */
export type PanelAnswer = Static<typeof PanelAnswer>;

const Figure = nullable(Type.Number());

/** GET /api/instances: those that were seen in the range, by id. */
export const InstancesAnswer = Type.Object({
  instances: Type.Array(
    Type.Object({
      id: Type.String(),
      /** `disconnected`: it answers, and does not reach its control plane. `silent`: it does not answer now. */
      state: Type.Unsafe<InstanceHealth>({ type: 'string', enum: ['connected', 'disconnected', 'silent'] }),
      /** Since its control plane heard of it; null where none is scraped. */
      seen_ago_s: Figure,
      queued: Figure,
      /** Of the range: ended runs, share of passed ones, 95th percentile. */
      runs: Figure,
      passed: Figure,
      p95_s: Figure,
    }),
  ),
  alerts: Type.Array(
    Type.Object({
      name: Type.String(),
      severity: Type.String(),
      instance: nullable(Type.String()),
      summary: Type.String(),
      cure: Type.String(),
    }),
  ),
  at: Moment,
});
/** See {@link InstancesAnswer}. */
export type InstancesAnswer = Static<typeof InstancesAnswer>;
/** How an instance's executor is. */
export type InstanceHealth = 'connected' | 'disconnected' | 'silent';

/** GET /api/scenarios: the slowest by mean duration, and those whose result turned round by share of their runs, most first. */
export const ScenariosAnswer = Type.Object({
  slowest: Type.Array(
    Type.Object({ instance: Type.String(), scenario: Type.String(), mean_s: Type.Number(), runs: Type.Number() }),
  ),
  flakiest: Type.Array(
    Type.Object({ instance: Type.String(), scenario: Type.String(), changes: Type.Number(), runs: Type.Number() }),
  ),
});
/** See {@link ScenariosAnswer}. */
export type ScenariosAnswer = Static<typeof ScenariosAnswer>;
