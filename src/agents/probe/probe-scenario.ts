/**
 * Writes a probe as the text of a scenario, so that it passes through the same parser, the same rules and the same
 * runner. Input from the agent is placed verbatim or refused: it can add neither a section nor a header line.
 */
import { vpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { formatTemplate } from '../../scenario/format-template.ts';
import { type ParseOptions, parseScenario } from '../../scenario/parse.ts';
import type { Method, Scenario } from '../../scenario/scenario.ts';

/** A request as an agent passes it. `auth: false` sends no token. */
export type ProbeInput = {
  readonly method: Method;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly auth?: boolean;
};

/**
 * Returns the scenario text; `readsLog`: it also looks at the target's log. Throws AGENT_ARGUMENTS_INVALID for everything that is not allowed in a scenario either.
 */
export function buildProbeScenario(probe: ProbeInput, placeholders: ParseOptions, readsLog = false): string {
  const headers = listHeaders(probe);
  const multiline = [probe.path, ...headers.flat()].find((text) => /[\r\n]/.test(text));
  if (multiline !== undefined) throw createArgumentsError('`path` and each header must be a single line');
  if (!probe.path.startsWith('/'))
    throw createArgumentsError('`path` must begin with `/`: the target’s address comes from the config');
  const text = formatScenario(probe, headers, readsLog);
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(text, placeholders, (diagnostic) => diagnostics.push(diagnostic));
  if (!scenario) throw createArgumentsError(formatErrors(diagnostics), diagnostics);
  if (!matchesProbe(scenario, probe, headers))
    throw createArgumentsError('a scenario would interpret the input differently; remove special syntax from it');
  return text;
}

type ProbeHeaders = readonly (readonly [name: string, value: string])[];

function listHeaders({ headers = {}, auth = true }: ProbeInput): ProbeHeaders {
  const probeHeaders = Object.entries(headers).map(([name, value]) => [name, value.trim()] as const);
  const hasAuthorization = probeHeaders.some(([name]) => name.toLowerCase() === 'authorization');
  return auth || hasAuthorization ? probeHeaders : [...probeHeaders, ['Authorization', ''] as const];
}

function formatScenario({ method, path, body }: ProbeInput, headers: ProbeHeaders, readsLog: boolean): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`.trimEnd());
  const fenceLength = Math.max(3, ...[...(body ?? '').matchAll(/`+/g)].map(([run]) => run.length + 1));
  const fence = '`'.repeat(fenceLength);
  const bodyLines = body === undefined ? [] : ['', fence, body, fence];
  return [
    `# Scenario: ${method} probe`,
    '## Metadata',
    `- ID: probe\n- Layer: HTTP Ingestion${readsLog ? ' + Log' : ''}`,
    '## TRIGGER',
    [`${method} \${INGESTION_URL}${path}`, ...lines, ...bodyLines].join('\n'),
    '## EXPECT',
    '### Runnable',
    // A check of the log makes the run wait for its lines.
    `- status=200${readsLog ? '\n- log lines>=1' : ''}`,
    '',
  ].join('\n\n');
}

/** True when the parsed scenario contains exactly the input. */
function matchesProbe({ trigger }: Scenario, { method, path, body }: ProbeInput, headers: ProbeHeaders): boolean {
  const parsedHeaders = trigger.headers.map(({ name, value }) => `${name}: ${formatTemplate(value)}`);
  const probeHeaders = headers.map(([name, value]) => `${name}: ${value}`);
  const hasSameBody = (trigger.body ? formatTemplate(trigger.body) : undefined) === body?.replaceAll('\r\n', '\n');
  return (
    trigger.method === method &&
    formatTemplate(trigger.path) === path &&
    parsedHeaders.join('\n') === probeHeaders.join('\n') &&
    hasSameBody
  );
}

function formatErrors(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').slice(0, 5);
  return errors.map(({ message, cure }) => `${message} (${cure})`).join('; ');
}

function createArgumentsError(problems: string, diagnostics: readonly object[] = []) {
  const allowed =
    '`method`, `path` (begins with `/`, without host), `headers` (name to value), `body` (text), `auth` (boolean)';
  return vpError('AGENT_ARGUMENTS_INVALID', { tool: 'author__probe_target', problems, allowed }, { diagnostics });
}
