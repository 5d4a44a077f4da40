/** Factories for tests of the scenario language. */
import type { ReportProblem } from '../../src/check/check-kind.ts';
import type { ErrorCode } from '../../src/errors/table.ts';
import type { Diagnostic } from '../../src/scenario/diagnostic.ts';
import { type ParseOptions, parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario, Template } from '../../src/scenario/scenario.ts';

/** The parts of a scenario that a test is about; the others are usual ones. Each is the text below its heading. */
export type Parts = {
  readonly title?: string;
  readonly metadata?: string;
  readonly trigger?: string;
  readonly checks?: string;
  readonly timeout?: string;
  readonly more?: string;
};

/** The text of a scenario. */
export function buildScenarioText(parts: Parts = {}): string {
  return [
    `# Scenario: ${parts.title ?? 'GET document'}`,
    '## Metadata',
    parts.metadata ?? '- ID: RT-GET-document\n- Layer: HTTP Ingestion\n- Tags: http',
    '## TRIGGER',
    parts.trigger ?? 'GET ${INGESTION_URL}/api/v2/document\nX-Request-Id: ${correlation_id}',
    '## EXPECT',
    '### Runnable',
    parts.checks ?? '- status=200',
    ...(parts.timeout === undefined ? [] : ['## TIMEOUT', parts.timeout]),
    ...(parts.more === undefined ? [] : [parts.more]),
    '',
  ].join('\n\n');
}

/** Result and diagnostics of parsing. */
export type Reading = { readonly scenario: Scenario | undefined; readonly diagnostics: readonly Diagnostic[] };

/** Parses and collects the diagnostics. */
export function read(text: string, options: ParseOptions = {}): Reading {
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(text, options, (diagnostic) => diagnostics.push(diagnostic));
  return { scenario, diagnostics };
}

/** The scenario of a text without errors; warnings are ignored. */
export function parseValid(text: string, options: ParseOptions = {}): Scenario {
  const { scenario, diagnostics } = read(text, options);
  if (scenario === undefined) throw new Error(JSON.stringify(diagnostics, null, 1));
  return scenario;
}

/** Code and marked text of each diagnostic. */
export function listDiagnostics(text: string, options: ParseOptions = {}): [ErrorCode, string][] {
  const { diagnostics } = read(text, options);
  return diagnostics.map(({ code, range }) => [code, text.slice(range.start.offset, range.end.offset)]);
}

/** Only the codes. */
export function codes(text: string, options: ParseOptions = {}): ErrorCode[] {
  return listDiagnostics(text, options).map(([code]) => code);
}

/** A template as it was written. */
export function written(template: Template | undefined): string | undefined {
  return template?.parts.map((part) => ('text' in part ? part.text : `\${${part.placeholder}}`)).join('');
}

/** A reporter that must not be called. */
export const neverReported: ReportProblem = (code) => {
  throw new Error(`unexpected ${code}`);
};

/** A value without positions, for comparing scenarios. */
export function stripPositions(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'range' || key === 'source' ? undefined : inner)));
}
