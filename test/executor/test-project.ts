/** Configs and scenarios for tests of the executor. */

import { Secret } from '../../src/project/env/secret.ts';
import type { BaseUrlSource, ProjectConfig } from '../../src/project/project-config.ts';
import type { RunRequest } from '../../src/run/run-request.ts';

/** `variables` are those that scenarios may use. */
export type TestProjectOptions = {
  readonly baseUrl: string;
  readonly baseUrlSource?: BaseUrlSource;
  readonly token?: string;
  readonly variables?: Readonly<Record<string, string>>;
};

/** A config as project/ creates it. */
export function createTestProject({
  baseUrl,
  baseUrlSource = 'config',
  token,
  variables = {},
}: TestProjectOptions): ProjectConfig {
  const secrets = [...(token === undefined ? [] : [token]), ...Object.values(variables)];
  return {
    project: { name: 'test' },
    targets: {
      http: { baseUrl, baseUrlSource: baseUrlSource },
      database: undefined,
      auth: token === undefined ? undefined : { type: 'bearer', bearerToken: new Secret('API_TOKEN', token) },
    },
    deploy: undefined,
    logstore: undefined,
    dashboardUrl: undefined,
    redactedCaptures: new Set(),
    scenarioVariables: new Map(Object.entries(variables).map(([name, value]) => [name, new Secret(name, value)])),
    names: { variables: Object.keys(variables), secrets: ['API_TOKEN'], unlisted: [] },
    secretValues: secrets.toSorted((a, b) => b.length - a.length),
  };
}

/** `trigger` is the text under TRIGGER, `checks` one bullet each. */
export function scenarioText(trigger: string, checks: readonly string[], timeoutSeconds = 5): string {
  return `# Scenario: ${trigger.split(' ', 1)[0]} document

## Metadata

- **ID**: RT-document
- **Layer**: HTTP Ingestion
- **Tags**: http

## TRIGGER

${trigger}

## EXPECT

### Runnable

${checks.map((check) => `- ${check}`).join('\n')}

## TIMEOUT

${timeoutSeconds}s
`;
}

export function createRunRequest(text: string, overrides: Partial<RunRequest> = {}): RunRequest {
  const runId = overrides.runId ?? '20261120T143012345';
  return {
    runId,
    correlationId: `tr-${runId}-abcdef`,
    instanceId: 'shop',
    scenarioId: 'RT-document',
    revision: 3,
    scenarioText: text,
    origin: 'queue',
    queuedMs: 0,
    ...overrides,
  };
}
