/** Where scenarios and an OpenAPI document do not agree any more, and where the target’s responses are not what the document allows. */
import { checkKinds } from '../../check/kinds.ts';
import { emptyObservation } from '../../check/observation.ts';
import { parseCheck } from '../../check/parse-check.ts';
import type { SeenResponse } from '../../judge/prove/propose-checks.ts';
import { formatTemplate } from '../../scenario/format-template.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { findExpectedStatus, listCheckedRequests, matchStatuses } from './coverage.ts';
import { type DocumentedOperation, findJsonSchema, type OpenApiDocument } from './document.ts';
import { createOperationFinder } from './match-operation.ts';
import { createSchemaChecks } from './schema-values.ts';

/** `scenario`: its ID; undefined for an operation that none has. */
export type DriftEntry = {
  readonly kind:
    | 'operation_without_scenario'
    | 'scenario_without_operation'
    | 'undocumented_status'
    | 'response_not_allowed';
  readonly scenario: string | undefined;
  /** `GET /orders/{id}`, or the request of the scenario. */
  readonly request: string;
  readonly detail: string;
};

const name = ({ method, path }: DocumentedOperation): string => `${method} ${path}`;

export function findDrift(document: OpenApiDocument, scenarios: readonly Scenario[]): readonly DriftEntry[] {
  const find = createOperationFinder(document);
  const used = new Set<DocumentedOperation>();
  const entries: DriftEntry[] = [];
  for (const { scenario, trigger, checks } of listCheckedRequests(scenarios)) {
    const operation = find(trigger);
    const request = `${trigger.method} ${formatTemplate(trigger.path)}`;
    if (!operation) {
      entries.push({
        kind: 'scenario_without_operation',
        scenario,
        request,
        detail: 'the document has no such operation',
      });
      continue;
    }
    used.add(operation);
    const expected = findExpectedStatus(checks);
    const documented = operation.responses.map(({ status }) => status);
    const isKnown =
      expected === undefined ||
      matchStatuses(expected, operation).length > 0 ||
      documented.includes('default') ||
      (/xx$/i.test(expected) && documented.some((status) => status.charAt(0) === expected.charAt(0)));
    if (!isKnown)
      entries.push({
        kind: 'undocumented_status',
        scenario,
        request: name(operation),
        detail: `the scenario expects ${expected}, documented are ${documented.join(', ') || 'none'}`,
      });
  }
  const missing = document.operations.filter((operation) => !used.has(operation));
  return [
    ...missing.map(
      (operation): DriftEntry => ({
        kind: 'operation_without_scenario',
        scenario: undefined,
        request: name(operation),
        detail: 'no scenario sends it',
      }),
    ),
    ...removeRepeated(entries),
  ];
}

function removeRepeated(entries: readonly DriftEntry[]): readonly DriftEntry[] {
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()];
}

/** What the document does not allow of the response to a scenario’s trigger: its status, its media type, its fields. */
export function findResponseDrift(
  document: OpenApiDocument,
  scenario: Scenario,
  response: SeenResponse,
): readonly DriftEntry[] {
  const operation = createOperationFinder(document)(scenario.trigger);
  if (!operation) return [];
  const report = (detail: string): DriftEntry => ({
    kind: 'response_not_allowed',
    scenario: scenario.id,
    request: name(operation),
    detail,
  });
  const status = String(response.status);
  const documented =
    operation.responses.find((each) => each.status === status) ??
    operation.responses.find((each) => each.status.toUpperCase() === `${status.charAt(0)}XX`) ??
    operation.responses.find((each) => each.status === 'default');
  if (!documented)
    return [
      report(
        `it answers ${status}, documented are ${operation.responses.map((each) => each.status).join(', ') || 'none'}`,
      ),
    ];
  const type = response.headers
    .find(([header]) => header.toLowerCase() === 'content-type')?.[1]
    ?.split(';', 1)[0]
    ?.trim()
    .toLowerCase();
  const types = documented.content.map(([each]) => each.toLowerCase());
  const hasType =
    type === undefined ||
    types.length === 0 ||
    types.some(
      (each) => each === type || each === '*/*' || (each.endsWith('/*') && type.startsWith(each.slice(0, -1))),
    );
  if (!hasType) return [report(`${status} has the type ${type}, documented are ${types.join(', ')}`)];
  const schema = findJsonSchema(documented);
  if (schema === undefined || scenario.trigger.method === 'HEAD') return [];
  return createSchemaChecks(schema, document.resolve).flatMap((text) =>
    judge(text, response).map((problem) => report(`${status}: ${problem}`)),
  );
}

function judge(text: string, { status, headers, body }: SeenResponse): readonly string[] {
  const check = parseCheck(text, () => {});
  const definition = checkKinds.find(({ kind }) => kind === check?.kind);
  if (!check || !definition) return [];
  const { passed, expected, actual } = definition.judge(check, { ...emptyObservation, status, headers, body });
  return passed
    ? []
    : [`\`${text.replace(/^body (?:has|every or none) /, '').split(' ', 1)[0]}\`: expected ${expected}, got ${actual}`];
}
