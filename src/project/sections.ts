/** The sections `deploy`, `observability` and `scenarios`. */
import { compilePattern, type Pattern } from '../pattern/pattern.ts';
import { type Draft, secretOf } from './draft.ts';
import type { LogStore, ProjectConfig } from './project-config.ts';
import { exampleBelow, exampleOf, requiredLeaves } from './schema-walk.ts';
import type { Secret } from './secret.ts';
import { dottedOf } from './yaml-tree.ts';

/** `deploy`; missing is told only where the compose tier needs it. */
export function readDeploy(draft: Draft): ProjectConfig['deploy'] {
  if (!draft.has('/deploy')) {
    if (draft.use === 'compose') tellDeployMissing(draft);
    return undefined;
  }
  const composeProject = draft.text('/deploy/compose_project');
  const network = draft.text('/deploy/network');
  return composeProject === undefined || network === undefined ? undefined : { composeProject, network };
}

function tellDeployMissing(draft: Draft): void {
  for (const leaf of requiredLeaves('/deploy')) {
    const because = ', and the compose tier needs it';
    draft.ledger.tell('CONFIG_KEY_MISSING', '', { key: dottedOf(leaf), because, example: exampleBelow('', leaf) });
  }
}

/** `observability.logstore`; undefined when there is none. */
export function readLogstore(draft: Draft): LogStore | undefined {
  const at = '/observability/logstore';
  const errorMatch = readErrorMatch(draft, `${at}/error_match`);
  const correlationField = draft.text(`${at}/correlation_field`);
  if (correlationField === undefined) return undefined;
  const field = draft.text(`${at}/saga_event_field`);
  const value = draft.text(`${at}/saga_event_value`);
  return {
    logFormat: 'json',
    correlationField,
    levelField: draft.text(`${at}/level_field`) ?? 'level',
    errorMatch,
    sagaEvent: field === undefined || value === undefined ? undefined : { field, value },
  };
}

/** The pattern must match the whole level: `40|50` is not to find the `40` in `1400`. */
function readErrorMatch(draft: Draft, at: string): Pattern | undefined {
  const source = draft.text(at);
  if (source === undefined) return undefined;
  const asWritten = compilePattern(source);
  const whole = compilePattern(`^(?:${source})$`);
  if ('pattern' in asWritten && 'pattern' in whole) return { source, test: whole.pattern.test };
  const problem = 'problem' in asWritten ? asWritten.problem : 'it cannot be read';
  draft.ledger.tell('CONFIG_PATTERN_INVALID', at, { key: dottedOf(at), problem, example: exampleOf(at) });
  return undefined;
}

/** `observability.dashboard.public_url.compose`; undefined when there is none. */
export function readDashboardUrl(draft: Draft): string | undefined {
  const at = '/observability/dashboard/public_url/compose';
  const text = draft.text(at);
  if (text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  draft.ledger.tell('CONFIG_VALUE_INVALID', at, {
    key: dottedOf(at),
    problem: 'not an http or https address',
    example: exampleOf(at),
  });
  return undefined;
}

/** Placeholders that every scenario has. */
const reserved: ReadonlySet<string> = new Set(['INGESTION_URL', 'correlation_id']);

/** `scenarios.variables`: what scenarios may read from the `.env`. */
export function readVariables(draft: Draft): Map<string, Secret> {
  const variables = new Map<string, Secret>();
  for (const [at, name] of draft.items('/scenarios/variables')) {
    const usedBy = draft.targetNames.get(name);
    if (usedBy !== undefined) draft.ledger.tell('CONFIG_VARIABLE_REFUSED', at, { name, key: usedBy });
    else if (reserved.has(name)) draft.ledger.tell('CONFIG_VARIABLE_RESERVED', at, { name });
    else {
      const value = draft.lookUp(name, at);
      if (value !== undefined) variables.set(name, secretOf(name, value, at, draft.ledger));
    }
  }
  return variables;
}
