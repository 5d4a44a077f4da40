/**
 * A probe as the text of a scenario, so that it goes through the same reading, the same rules and the same runner. What an
 * agent gives stands at its place or is refused: it can add neither a section nor a header line.
 */
import { vpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { type ParseOptions, parseScenario } from '../../scenario/parse.ts';
import type { Method, Scenario, Template } from '../../scenario/scenario.ts';

/** A request as an agent gives it. `auth` false sends no token. */
export type ProbeInput = {
  readonly method: Method;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly auth?: boolean;
};

/** The text. Throws AGENT_ARGUMENTS_INVALID with everything that a scenario may not say either. */
export function scenarioOfProbe(probe: ProbeInput, placeholders: ParseOptions): string {
  const headers = headersOf(probe);
  const oneLine = [probe.path, ...headers.flat()].find((text) => /[\r\n]/.test(text));
  if (oneLine !== undefined) throw refused('path and headers are one line each');
  if (!probe.path.startsWith('/')) throw refused('`path` begins with `/`: the target’s address comes from the config');
  const text = textOf(probe, headers);
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(text, placeholders, (diagnostic) => diagnostics.push(diagnostic));
  if (!scenario) throw refused(errorsText(diagnostics), diagnostics);
  if (!says(scenario, probe, headers)) throw refused('a scenario would read it as something else; write it plainly');
  return text;
}

type Headers = readonly (readonly [name: string, value: string])[];

function headersOf({ headers = {}, auth = true }: ProbeInput): Headers {
  const given = Object.entries(headers).map(([name, value]) => [name, value.trim()] as const);
  const hasOwn = given.some(([name]) => name.toLowerCase() === 'authorization');
  return auth || hasOwn ? given : [...given, ['Authorization', ''] as const];
}

function textOf({ method, path, body }: ProbeInput, headers: Headers): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`.trimEnd());
  const longest = Math.max(3, ...[...(body ?? '').matchAll(/`+/g)].map(([run]) => run.length + 1));
  const fence = '`'.repeat(longest);
  const fenced = body === undefined ? [] : ['', fence, body, fence];
  return [
    `# Scenario: ${method} probe`,
    '## Metadata',
    '- ID: probe\n- Layer: HTTP Ingestion',
    '## TRIGGER',
    [`${method} \${INGESTION_URL}${path}`, ...lines, ...fenced].join('\n'),
    '## EXPECT',
    '### Runnable',
    '- status=200',
    '',
  ].join('\n\n');
}

/** Whether what was read is what was given. */
function says({ trigger }: Scenario, { method, path, body }: ProbeInput, headers: Headers): boolean {
  const read = trigger.headers.map(({ name, value }) => `${name}: ${written(value)}`);
  const given = headers.map(([name, value]) => `${name}: ${value}`);
  const sameBody = (trigger.body ? written(trigger.body) : undefined) === body?.replaceAll('\r\n', '\n');
  return (
    trigger.method === method && written(trigger.path) === path && read.join('\n') === given.join('\n') && sameBody
  );
}

function written({ parts }: Template): string {
  return parts.map((part) => ('text' in part ? part.text : `\${${part.placeholder}}`)).join('');
}

function errorsText(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').slice(0, 5);
  return errors.map(({ message, cure }) => `${message} (${cure})`).join('; ');
}

function refused(problems: string, diagnostics: readonly object[] = []) {
  const allowed =
    '`method`, `path` (from `/` on, without host), `headers` (name to value), `body` (text), `auth` (boolean)';
  return vpError('AGENT_ARGUMENTS_INVALID', { tool: 'author__probe_target', problems, allowed }, { diagnostics });
}
