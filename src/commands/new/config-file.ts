/** The text of a new `platform-config.yaml`, with what is known and nothing else. */
import { stringify } from 'yaml';
import type { TargetCredential } from '../../inspection/credential.ts';
import type { LogTrace } from '../../inspection/log-trace.ts';

/** `password` is the name of the `.env` that holds it. */
export type DatabaseAnswer = { readonly jdbcUrl: string; readonly username: string; readonly password: string };

export type ConfigAnswers = {
  readonly name: string;
  readonly baseUrl: string;
  readonly credential: TargetCredential | undefined;
  readonly database: DatabaseAnswer | undefined;
  readonly deploy: { readonly project: string; readonly network: string } | undefined;
  readonly trace: LogTrace | undefined;
};

/** Two lines where there is nothing but a name and an address. */
export function renderConfig(answers: ConfigAnswers): string {
  const sections = [createAuth(answers), createDatabase(answers), createVariables(answers)];
  const rest = [createDeploy(answers), createLogstore(answers)];
  const { name, baseUrl } = answers;
  if ([...sections, ...rest].every((section) => section === undefined)) {
    const plainName = /^[A-Za-z][\w.-]*$/.test(name) ? name : JSON.stringify(name);
    return `project: { name: ${plainName} }\ntargets: { http: { base_url: ${JSON.stringify(baseUrl)} } }\n`;
  }
  const [auth, database, variables] = sections;
  const targets = { http: { base_url: baseUrl }, ...auth, ...database };
  return stringify({ project: { name }, targets, ...rest[0], ...rest[1], ...variables }, { lineWidth: 0 });
}

function createAuth({ credential }: ConfigAnswers) {
  if (credential?.kind !== 'bearer') return undefined;
  return { auth: { type: 'bearer', bearer_token: `\${${credential.name}}` } };
}

function createDatabase({ database }: ConfigAnswers) {
  if (!database) return undefined;
  const { jdbcUrl, username, password } = database;
  return { database: { type: 'postgres', jdbc_url: jdbcUrl, username, password: `\${${password}}` } };
}

function createDeploy({ deploy }: ConfigAnswers) {
  return deploy && { deploy: { compose_project: deploy.project, network: deploy.network } };
}

/** Only where a line with the id of a request was seen: a guess would make checks of the log look at the wrong field. */
function createLogstore({ trace }: ConfigAnswers) {
  if (trace?.field === undefined || trace.guess.format !== 'json') return undefined;
  const { level } = trace.guess;
  const levels = level ? { level_field: level.field, error_match: level.errorMatch } : {};
  return { observability: { logstore: { log_format: 'json', correlation_field: trace.field, ...levels } } };
}

/** A credential that scenarios send themselves. */
function createVariables({ credential }: ConfigAnswers) {
  return credential && credential.kind !== 'bearer' ? { scenarios: { variables: [credential.name] } } : undefined;
}
