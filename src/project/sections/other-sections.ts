/** The sections `deploy`, `observability` and `scenarios`. */
import { compilePattern, type Pattern } from '../../pattern/pattern.ts';
import { type ConfigDraft, createConfigSecret } from '../config-draft.ts';
import type { Secret } from '../env/secret.ts';
import type { LogStoreConfig, ProjectConfig, TargetVersionConfig } from '../project-config.ts';
import { formatExample, formatExampleBelow, listRequiredLeaves } from '../schema/schema-walk.ts';
import { formatDottedKey } from '../yaml/yaml-tree.ts';

/** `deploy`; its absence is reported only when the compose tier needs it. */
export function readDeploy(draft: ConfigDraft): ProjectConfig['deploy'] {
  if (!draft.has('/deploy')) {
    if (draft.use === 'compose') reportMissingDeploy(draft);
    return undefined;
  }
  const composeProject = draft.text('/deploy/compose_project');
  const network = draft.text('/deploy/network');
  return composeProject === undefined || network === undefined ? undefined : { composeProject, network };
}

function reportMissingDeploy(draft: ConfigDraft): void {
  for (const leaf of listRequiredLeaves('/deploy')) {
    const because = ', and the compose tier needs it';
    draft.reporter.report('CONFIG_KEY_MISSING', '', {
      key: formatDottedKey(leaf),
      because,
      example: formatExampleBelow('', leaf),
    });
  }
}

/** `observability.logstore`; undefined when there is none. */
export function readLogstore(draft: ConfigDraft): LogStoreConfig | undefined {
  const pointer = '/observability/logstore';
  const errorMatch = readErrorMatch(draft, `${pointer}/error_match`);
  const correlationField = draft.text(`${pointer}/correlation_field`);
  if (correlationField === undefined) return undefined;
  warnOfMissingLevels(draft, pointer);
  const field = draft.text(`${pointer}/saga_event_field`);
  const value = draft.text(`${pointer}/saga_event_value`);
  return {
    logFormat: 'json',
    correlationField,
    levelField: draft.text(`${pointer}/level_field`),
    errorMatch,
    sagaEvent: field === undefined || value === undefined ? undefined : { field, value },
    services: draft.items(`${pointer}/services`).map(([, service]) => service),
  };
}

/** `log lines` and `log has` work without them. */
function warnOfMissingLevels(draft: ConfigDraft, pointer: string): void {
  const missing = ['level_field', 'error_match'].filter((name) => !draft.has(`${pointer}/${name}`));
  if (missing.length === 0) return;
  const members = missing.map((name) => `\`${formatDottedKey(`${pointer}/${name}`)}\``).join(' and ');
  const example = missing.map((name) => `\`${formatExampleBelow(pointer, `${pointer}/${name}`)}\``).join(' and ');
  draft.reporter.report('CONFIG_LEVELS_UNKNOWN', pointer, { members, example }, 'key');
}

/** The pattern must match the whole level: `40|50` must not find the `40` in `1400`. */
function readErrorMatch(draft: ConfigDraft, pointer: string): Pattern | undefined {
  const source = draft.text(pointer);
  if (source === undefined) return undefined;
  const sourcePattern = compilePattern(source);
  const fullPattern = compilePattern(`^(?:${source})$`);
  if ('pattern' in sourcePattern && 'pattern' in fullPattern) return { source, test: fullPattern.pattern.test };
  const problem = 'problem' in sourcePattern ? sourcePattern.problem : 'it cannot be read';
  draft.reporter.report('CONFIG_PATTERN_INVALID', pointer, {
    key: formatDottedKey(pointer),
    problem,
    example: formatExample(pointer),
  });
  return undefined;
}

/** `observability.version`; undefined when there is none. */
export function readTargetVersion(draft: ConfigDraft): TargetVersionConfig | undefined {
  const pointer = '/observability/version';
  if (!draft.has(pointer)) return undefined;
  const [path, header, field] = ['path', 'header', 'field'].map((name) => draft.text(`${pointer}/${name}`));
  if (header !== undefined && field === undefined) return { path, source: { kind: 'header', name: header } };
  if (field !== undefined && header === undefined) return { path, source: { kind: 'field', name: field } };
  draft.reporter.report('CONFIG_VALUE_INVALID', pointer, {
    key: formatDottedKey(pointer),
    problem: 'not one of `header` and `field`, of which it needs exactly one',
    example: formatExample(`${pointer}/header`),
  });
  return undefined;
}

/** `observability.dashboard.public_url.compose`; undefined when there is none. */
export function readDashboardUrl(draft: ConfigDraft): string | undefined {
  const pointer = '/observability/dashboard/public_url/compose';
  const text = draft.text(pointer);
  if (text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  draft.reporter.report('CONFIG_VALUE_INVALID', pointer, {
    key: formatDottedKey(pointer),
    problem: 'not an http or https address',
    example: formatExample(pointer),
  });
  return undefined;
}

/** Placeholders that every scenario has. */
const reservedNames: ReadonlySet<string> = new Set(['INGESTION_URL', 'correlation_id']);

/** `scenarios.variables`: the names of the `.env` that scenarios may use. */
export function readVariables(draft: ConfigDraft): Map<string, Secret> {
  const variables = new Map<string, Secret>();
  for (const [pointer, name] of draft.items('/scenarios/variables')) {
    const usedBy = draft.targetNames.get(name);
    if (usedBy !== undefined) draft.reporter.report('CONFIG_VARIABLE_REFUSED', pointer, { name, key: usedBy });
    else if (reservedNames.has(name)) draft.reporter.report('CONFIG_VARIABLE_RESERVED', pointer, { name });
    else {
      const value = draft.lookUpVariable(name, pointer);
      if (value !== undefined) variables.set(name, createConfigSecret(name, value, pointer, draft.reporter));
    }
  }
  return variables;
}

/** `scenarios.redacted_captures`. */
export function readRedactedCaptures(draft: ConfigDraft): ReadonlySet<string> {
  return new Set(draft.items('/scenarios/redacted_captures').map(([, name]) => name));
}
