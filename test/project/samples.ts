/** Configs in few words, for tests. */
import { type ProjectOptions, type ProjectTexts, parseProject } from '../../src/project/parse.ts';
import type { ConfigProblem } from '../../src/project/problem.ts';

/** The smallest config. */
export const smallest = 'project:\n  name: my-app\ntargets:\n  http:\n    base_url: http://app:3100\n';

/** Every key of the specification. */
export const whole = `project:
  name: documents
targets:
  http:
    base_url: http://app:3100
  database:
    type: postgres
    jdbc_url: jdbc:postgresql://db:5433/signing?sslmode=require
    username: reader
    password: \${DB_PASSWORD}
  auth:
    type: bearer
    bearer_token: \${API_TOKEN}
deploy:
  compose_project: documents
  network: documents_default
observability:
  logstore:
    log_format: json
    correlation_field: reqId
    level_field: severity
    error_match: 40|50|60
    saga_event_field: event_type
    saga_event_value: saga
  dashboard:
    public_url:
      compose: http://localhost:3000
scenarios:
  variables: [TENANT]
`;

/** A `.env` for it. */
export const env = 'DB_PASSWORD=s3cret-password\nAPI_TOKEN=abc.def-123\nTENANT=acme\nOTHER=1\n';

/** Reads a config and gathers what was told. */
export function read(configText: string, texts: Partial<ProjectTexts> = {}, options: ProjectOptions = {}) {
  const problems: ConfigProblem[] = [];
  const config = parseProject({ configText, envText: env, ...texts }, options, (problem) => problems.push(problem));
  return { config, problems, told: problems.map(toldShort) };
}

/** `CODE 3:5`, or `CODE` where it is about no line. */
export function toldShort({ code, spot }: ConfigProblem): string {
  return spot ? `${code} ${spot.line}:${spot.column}` : code;
}

/** The smallest config with the section `targets` continued by these lines, indented already. */
export function withTargets(lines: string): string {
  return `${smallest}${lines}`;
}
