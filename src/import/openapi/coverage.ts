/** Which operations, statuses and fields of an OpenAPI document the scenarios check. */
import type { Scenario, ScenarioCheck, Trigger } from '../../scenario/scenario.ts';
import { type DocumentedOperation, findJsonSchema, findMainResponse, type OpenApiDocument } from './document.ts';
import { createOperationFinder } from './match-operation.ts';
import { listCheckFields, listSchemaFields } from './schema-fields.ts';

/** A documented status, and the scenarios that expect it. */
export type StatusCoverage = { readonly status: string; readonly scenarios: readonly string[] };

/** `fields` are those of the documented success. */
export type OperationCoverage = {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly isDeprecated: boolean;
  readonly scenarios: readonly string[];
  readonly statuses: readonly StatusCoverage[];
  readonly fields: readonly { readonly field: string; readonly isChecked: boolean }[];
};

/** Numbers of the whole document. */
export type CoverageTotals = { readonly covered: number; readonly total: number };

export type DocumentCoverage = {
  readonly operations: readonly OperationCoverage[];
  readonly totals: Readonly<Record<'operations' | 'statuses' | 'fields', CoverageTotals>>;
};

/** A request of a scenario with what is checked of its response. */
export type CheckedRequest = {
  readonly scenario: string;
  readonly trigger: Trigger;
  readonly checks: readonly ScenarioCheck[];
};

/** Calls of gRPC are no operations of such a document. */
export function listCheckedRequests(scenarios: readonly Scenario[]): readonly CheckedRequest[] {
  return scenarios.flatMap(({ id, steps, trigger, checks, cleanupSteps }) =>
    [...steps, { trigger, checks }, ...cleanupSteps]
      .filter((request) => request.trigger.grpc === undefined)
      .map((request) => ({ scenario: id, trigger: request.trigger, checks: request.checks })),
  );
}

/** As the check writes it: `200` or `2xx`; undefined without a check of the status. */
export function findExpectedStatus(checks: readonly ScenarioCheck[]): string | undefined {
  return checks
    .map(({ check, definition }) => definition.expectedStatus?.(check))
    .find((status) => status !== undefined);
}

/** The documented statuses that an expected one means. A class means the one of its class, where there is only one. */
export function matchStatuses(expected: string, { responses }: DocumentedOperation): readonly string[] {
  const statuses = responses.map(({ status }) => status);
  const exact = statuses.filter((status) => status.toLowerCase() === expected.toLowerCase());
  if (exact.length > 0) return exact;
  const sameClass = statuses.filter((status) => status.charAt(0) === expected.charAt(0));
  const isClass = /^[1-5]xx$/i.test(expected);
  const matching = isClass ? sameClass : sameClass.filter((status) => /XX$/i.test(status));
  return matching.length === 1 ? matching : [];
}

export function computeCoverage(document: OpenApiDocument, scenarios: readonly Scenario[]): DocumentCoverage {
  const find = createOperationFinder(document);
  const requests = new Map<DocumentedOperation, CheckedRequest[]>();
  for (const request of listCheckedRequests(scenarios)) {
    const operation = find(request.trigger);
    if (operation) requests.set(operation, [...(requests.get(operation) ?? []), request]);
  }
  const operations = document.operations.map((operation) =>
    coverOperation(operation, requests.get(operation) ?? [], document),
  );
  return {
    operations,
    totals: {
      operations: count(operations, ({ scenarios: own }) => own.length > 0),
      statuses: count(
        operations.flatMap(({ statuses }) => statuses),
        ({ scenarios: own }) => own.length > 0,
      ),
      fields: count(
        operations.flatMap(({ fields }) => fields),
        ({ isChecked }) => isChecked,
      ),
    },
  };
}

function count<T>(items: readonly T[], isCovered: (item: T) => boolean): CoverageTotals {
  return { covered: items.filter(isCovered).length, total: items.length };
}

function coverOperation(
  operation: DocumentedOperation,
  requests: readonly CheckedRequest[],
  { resolve }: OpenApiDocument,
): OperationCoverage {
  const { method, path, id, isDeprecated, responses } = operation;
  const statuses = responses.map(({ status }) => ({
    status,
    scenarios: listIds(
      requests.filter(({ checks }) => matchStatuses(findExpectedStatus(checks) ?? '', operation).includes(status)),
    ),
  }));
  const main = findMainResponse(operation);
  const schema = main && findJsonSchema(main);
  const successful = requests.filter(
    ({ checks }) => main && matchStatuses(findExpectedStatus(checks) ?? '', operation).includes(main.status),
  );
  const named = new Set(successful.flatMap(({ checks }) => checks.flatMap(({ check }) => listCheckFields(check))));
  const fields = schema === undefined ? [] : listSchemaFields(schema, resolve);
  return {
    ...{ method, path, id, isDeprecated, statuses },
    scenarios: listIds(requests),
    fields: fields.map((field) => ({ field, isChecked: named.has(field) })),
  };
}

/** Rounded down: 99.9 is not all. */
export function toPercent({ covered, total }: CoverageTotals): number {
  return total === 0 ? 100 : Math.floor((covered / total) * 100);
}

/** `none`: no scenario sends it. `complete`: every status is expected, and every field checked. */
export type CoverageState = 'none' | 'partial' | 'complete';

export function getCoverageState({ scenarios, statuses, fields }: OperationCoverage): CoverageState {
  if (scenarios.length === 0) return 'none';
  const isComplete =
    statuses.every((status) => status.scenarios.length > 0) && fields.every((field) => field.isChecked);
  return isComplete ? 'complete' : 'partial';
}

function listIds(requests: readonly CheckedRequest[]): readonly string[] {
  return [...new Set(requests.map(({ scenario }) => scenario))];
}
