/** The OpenAPI documents of GitHub and Stripe, as they are published: imported, covered, and judged by. */
import t, { type Test } from 'tap';
import type { Check } from '../../src/check/check-kind.ts';
import { schemaKind } from '../../src/check/kinds/schema.ts';
import { createOpenApiReducer } from '../../src/check/open-api/reduce-document.ts';
import { createSchemaValidator } from '../../src/executor/response/schema-validator.ts';
import { computeCoverage } from '../../src/import/openapi/coverage.ts';
import { type DocumentedOperation, type OpenApiDocument, readOpenApi } from '../../src/import/openapi/document.ts';
import { findDrift } from '../../src/import/openapi/drift.ts';
import { embedFiles } from '../../src/scenario/embedded-files.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { renderScenario } from '../../src/scenario/scenario-draft.ts';
import { maxCompleteLength } from '../../src/scenario/text-limits.ts';
import { observeBody, parseValid } from '../check/check-fixtures.ts';
import { publishedDocuments, readPublishedDocument } from '../published-documents.ts';
import { importTexts } from './import-text.ts';

function parseDocument(text: string): OpenApiDocument {
  const document = readOpenApi(JSON.parse(text));
  if (!document) throw new Error('the document cannot be read');
  return document;
}

/** An operation of every `step`. */
const selectOperations = ({ operations }: OpenApiDocument, step: number) =>
  operations.filter((_, index) => index % step === 0);

const toPath = ({ path }: DocumentedOperation): string => path.replaceAll(/\{[^}]+\}/g, '1');

async function importAll(t: Test, text: string): Promise<void> {
  const document = parseDocument(text);
  const { scenarios, untranslated } = await importTexts(t, 'openapi', text);
  const notImported = untranslated.filter(({ reason }) =>
    /without an example is not imported|does not say which parts/.test(reason),
  );
  t.equal(scenarios.length + notImported.length, document.operations.length);
  const parsed = scenarios.flatMap((each) => parseScenario(each.text, { variables: 'any' }, () => {}) ?? []);
  const { totals } = computeCoverage(document, parsed);
  t.equal(totals.operations.covered, scenarios.length, JSON.stringify(totals));
  const drift = findDrift(document, parsed);
  t.same(
    drift.filter(({ kind }) => kind !== 'operation_without_scenario'),
    [],
  );
  t.equal(drift.length, notImported.length);
}

/** The text of a scenario of each operation, complete with the document. */
function embedEach(text: string, operations: readonly DocumentedOperation[]): readonly string[] {
  const reduce = createOpenApiReducer();
  const own = operations.map((operation, index) =>
    renderScenario({
      ...{ id: `RT-${index}`, name: 'response', method: operation.method as 'GET', path: toPath(operation) },
      checks: ['body matches schema api.json'],
    }),
  );
  return own.map((each) =>
    embedFiles(
      each,
      () => text,
      () => undefined,
      reduce,
    ),
  );
}

function readCheck(text: string, operation: DocumentedOperation): Check {
  const request = { method: operation.method, path: toPath(operation) };
  const check = schemaKind.withFile?.(parseValid('body matches schema api.json') as never, text, request);
  if (check === undefined || typeof check === 'string') throw new Error(`${operation.id}: ${check}`);
  return check;
}

const bodies = [{}, [], { id: 1 }, { object: 'list', data: [{}], has_more: false, url: '/v1' }, 'text'];

/** What both say of each documented status and some bodies, which are hardly ever valid: the messages name where they differ. */
function compareVerdicts(t: Test, text: string, operations: readonly DocumentedOperation[]): void {
  const reduce = createOpenApiReducer();
  const reduceAgain = createOpenApiReducer();
  const validateSchema = createSchemaValidator();
  for (const operation of operations) {
    const reduced = reduce(text, [{ method: operation.method, path: toPath(operation) }]);
    const checks = [readCheck(text, operation), readCheck(reduced, operation)];
    for (const { status } of operation.responses)
      for (const body of bodies) {
        const observation = { ...observeBody(body as never, Number(status) || 500), validateSchema };
        const [whole, part] = checks.map((check) => schemaKind.judge(check as never, observation));
        t.same(part, whole, `${operation.id} ${status}`);
      }
    t.equal(reduceAgain(reduced, [{ method: operation.method, path: toPath(operation) }]), reduced);
  }
}

/** `step`: of how many operations one is compiled, which takes a second for one of Stripe's. */
const documents = [
  { name: 'github', step: 100, operations: 1100 },
  { name: 'stripe', step: 200, operations: 450 },
] as const;

for (const { name, step, operations } of documents) {
  const published = readPublishedDocument(name);
  const skip = 'unreachable' in published ? `${publishedDocuments[name].package}: ${published.unreachable}` : false;
  const text = 'text' in published ? published.text : '';

  t.test(`${name}: every operation becomes a valid scenario, and is covered`, { skip }, async (t) => {
    await importAll(t, text);
  });

  t.test(`${name}: the responses of every operation fit into the text of a scenario`, { skip }, async (t) => {
    const document = parseDocument(text);
    t.ok(document.operations.length > operations);
    const problems: string[] = [];
    const texts = embedEach(text, document.operations);
    t.ok(texts.every(({ length }) => length < maxCompleteLength / 2));
    for (const complete of texts.filter((_, index) => index % 10 === 0)) {
      const scenario = parseScenario(complete, { variables: 'any' }, ({ message }) => problems.push(message));
      t.ok(scenario?.checks.some(({ check }) => 'responses' in check));
    }
    t.same(problems, []);
  });

  t.test(`${name}: a reduced document judges like the whole one`, { skip }, async (t) => {
    compareVerdicts(t, text, selectOperations(parseDocument(text), step));
  });
}
