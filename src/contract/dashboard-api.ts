/** The API of the dashboard's page: it names a panel and a range, never a query. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, Timestamp } from './schemas.ts';

/** Periods that end now. */
export const dashboardRanges = ['1h', '6h', '24h', '7d', '30d'] as const;
export type DashboardRange = (typeof dashboardRanges)[number];

/** Units of a panel's values. `share`: 0 to 1. */
const dashboardUnits = ['per_minute', 'share', 'seconds', 'runs'] as const;
export type DashboardUnit = (typeof dashboardUnits)[number];

const Range = Type.Unsafe<DashboardRange>({ type: 'string', enum: [...dashboardRanges] });
const Unit = Type.Unsafe<DashboardUnit>({ type: 'string', enum: [...dashboardUnits] });

/** Query of every route except the list of panels. */
export const DashboardRangeQuery = Type.Object({ range: Range });

/** GET /api/panels: the charts, in display order. */
export const PanelList = Type.Object({
  version: Type.String(),
  panels: Type.Array(Type.Object({ id: Type.String(), title: Type.String(), meaning: Type.String(), unit: Unit })),
});
export type PanelList = Static<typeof PanelList>;

/** GET /api/panels/{panel}: lines over common `times`, in seconds since 1970; null where there is no value. */
export const PanelResponse = Type.Object({
  times: Type.Array(Type.Number()),
  lines: Type.Array(
    Type.Object({ instance: Type.String(), label: Type.String(), values: Type.Array(nullable(Type.Number())) }),
  ),
});
export type PanelResponse = Static<typeof PanelResponse>;

const Figure = nullable(Type.Number());

/** GET /api/instances: instances with samples in the range, by id. */
export const DashboardInstancesResponse = Type.Object({
  instances: Type.Array(
    Type.Object({
      id: Type.String(),
      /** `disconnected`: it responds, but cannot reach its control plane. `silent`: it does not respond. */
      state: Type.Unsafe<InstanceHealth>({ type: 'string', enum: ['connected', 'disconnected', 'silent'] }),
      /** Time since its control plane last heard from it; null where no control plane is scraped. */
      seen_ago_s: Figure,
      queued: Figure,
      /** Within the range: finished runs, share of passed runs, 95th percentile of the duration. */
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
  at: Timestamp,
});
export type DashboardInstancesResponse = Static<typeof DashboardInstancesResponse>;
/** Health of an instance's executor. */
export type InstanceHealth = 'connected' | 'disconnected' | 'silent';

/** GET /api/scenarios: the slowest by mean duration, and those whose result changed most often as a share of their runs. */
export const DashboardScenariosResponse = Type.Object({
  slowest: Type.Array(
    Type.Object({ instance: Type.String(), scenario: Type.String(), mean_s: Type.Number(), runs: Type.Number() }),
  ),
  flakiest: Type.Array(
    Type.Object({ instance: Type.String(), scenario: Type.String(), changes: Type.Number(), runs: Type.Number() }),
  ),
});
export type DashboardScenariosResponse = Static<typeof DashboardScenariosResponse>;
