/** Short configs for tests. */

import type { ConfigProblem } from '../../src/project/config-problem.ts';
import { type ProjectOptions, type ProjectTexts, parseProject } from '../../src/project/parse-project.ts';

/** The smallest valid config. */
export const minimalConfig = 'project:\n  name: my-app\ntargets:\n  http:\n    base_url: http://app:3100\n';

/** Contains every key of the specification. */
export const fullConfig = `project:
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
export const sampleEnv = 'DB_PASSWORD=s3cret-password\nAPI_TOKEN=abc.def-123\nTENANT=acme\nOTHER=1\n';

/** Parses a config and collects its problems. */
export function readConfig(configText: string, texts: Partial<ProjectTexts> = {}, options: ProjectOptions = {}) {
  const problems: ConfigProblem[] = [];
  const config = parseProject({ configText, envText: sampleEnv, ...texts }, options, (problem) =>
    problems.push(problem),
  );
  return { config, problems, problemCodes: problems.map(formatShort) };
}

/** `CODE 3:5`, or `CODE` when it has no position. */
export function formatShort({ code, position: spot }: ConfigProblem): string {
  return spot ? `${code} ${spot.line}:${spot.column}` : code;
}
