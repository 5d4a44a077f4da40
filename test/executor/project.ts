/** Configs and scenarios for tests of the executor. */
import type { BaseUrlFrom, ProjectConfig } from '../../src/project/project-config.ts';
import { Secret } from '../../src/project/secret.ts';
import type { RunRequest } from '../../src/run/run-request.ts';

/** What a test says about its config; `variables` are those that scenarios may use. */
export type GivenProject = {
  readonly baseUrl: string;
  readonly baseUrlFrom?: BaseUrlFrom;
  readonly token?: string;
  readonly variables?: Readonly<Record<string, string>>;
};

/** A config as project/ would give it. */
export function projectOf({ baseUrl, baseUrlFrom = 'config', token, variables = {} }: GivenProject): ProjectConfig {
  const secrets = [...(token === undefined ? [] : [token]), ...Object.values(variables)];
  return {
    project: { name: 'test' },
    targets: {
      http: { baseUrl, baseUrlFrom },
      database: undefined,
      auth: token === undefined ? undefined : { type: 'bearer', bearerToken: new Secret('API_TOKEN', token) },
    },
    deploy: undefined,
    logstore: undefined,
    dashboardUrl: undefined,
    scenarioVariables: new Map(Object.entries(variables).map(([name, value]) => [name, new Secret(name, value)])),
    names: { variables: Object.keys(variables), secrets: ['API_TOKEN'], unlisted: [] },
    secretValues: secrets.toSorted((a, b) => b.length - a.length),
  };
}

/** A scenario's text. `trigger` is what stands under TRIGGER, `checks` one bullet each. */
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

/** A request to run `text`. */
export function requestOf(text: string, given: Partial<RunRequest> = {}): RunRequest {
  const runId = given.runId ?? '20261120T143012345';
  return {
    runId,
    correlationId: `tr-${runId}-abcdef`,
    instanceId: 'shop',
    scenarioId: 'RT-document',
    revision: 3,
    scenarioText: text,
    origin: 'queue',
    queuedMs: 0,
    ...given,
  };
}
