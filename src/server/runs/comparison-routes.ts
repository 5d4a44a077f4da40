import { type Static, Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import { RunComparison, TargetVersionEntry } from '../../contract/comparison-api.ts';
import { TargetVersion, Timestamp } from '../../contract/schemas.ts';
import type { ComparisonService } from '../../control/control.ts';
import { vpError } from '../../errors/vp-error.ts';
import { InstancePath, parseTimestampMs } from '../request-schemas.ts';
import { route, type ServerRoute, toSinglePage } from '../route.ts';

const Branch = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));
const ComparisonQuery = Type.Object({
  base_version: Type.Optional(TargetVersion),
  base_branch: Branch,
  base_since: Type.Optional(Timestamp),
  base_until: Type.Optional(Timestamp),
  head_version: Type.Optional(TargetVersion),
  head_branch: Branch,
  head_since: Type.Optional(Timestamp),
  head_until: Type.Optional(Timestamp),
});

type ComparedSelection = Parameters<ComparisonService['compare']>[1];

/** A side is a version, a branch, or a period whose end is now by default. */
function toSelection(query: Static<typeof ComparisonQuery>, side: 'base' | 'head', nowMs: number): ComparedSelection {
  const version = query[`${side}_version`];
  const sinceMs = parseTimestampMs(`${side}_since`, query[`${side}_since`]);
  const untilMs = parseTimestampMs(`${side}_until`, query[`${side}_until`]) ?? nowMs;
  const branch = query[`${side}_branch`];
  if ([version, branch, sinceMs].filter((value) => value !== undefined).length === 1) {
    if (version !== undefined) return { kind: 'version', version };
    if (branch !== undefined) return { kind: 'branch', branch };
    if (sinceMs !== undefined) return { kind: 'period', sinceMs, untilMs };
  }
  const problem = `give one of ${side}_version, ${side}_branch and ${side}_since`;
  throw vpError('REQUEST_INVALID', { where: `query parameter ${side}_version`, problem });
}

export const comparisonRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}/comparison',
    operation: 'compareRuns',
    summary:
      'What changed from base to head, each a version of the target, a branch or a period, by default the two newest versions: newly failing, fixed, flaky, slower …',
    action: 'run.read',
    params: InstancePath,
    query: ComparisonQuery,
    response: RunComparison,
    handler: ({ services: { control, clock }, params, query }) => {
      if (Object.keys(query).length === 0) return control.comparison.compareNewest(params.instance);
      const nowMs = clock.nowMs();
      const [base, head] = [toSelection(query, 'base', nowMs), toSelection(query, 'head', nowMs)];
      return control.comparison.compare(params.instance, base, head);
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}/target-versions',
    operation: 'listTargetVersions',
    summary: 'Versions of the target in the newest 20,000 runs, and at least the two newest ones, the newest first',
    action: 'run.read',
    params: InstancePath,
    response: pageSchema(TargetVersionEntry),
    handler: async ({ services: { control }, params }) =>
      toSinglePage(await control.comparison.listTargetVersions(params.instance)),
  }),
];
