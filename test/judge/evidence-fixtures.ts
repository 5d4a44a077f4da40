/** Scenarios and evidence for tests of judging and reporting. */
import type { Json } from '../../src/check/json/json.ts';
import type { ObservedBody } from '../../src/check/observation.ts';
import type { Evidence, ExecutionFailure, HeaderList } from '../../src/run/evidence.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';

/** The text of a scenario whose Runnable has these checks; the first one stands in line 18, column 3. */
export function scenarioText(checks: readonly string[]): string {
  return `# Scenario: GET document

## Metadata

- ID: RT-GET-document
- Layer: HTTP Ingestion
- Tags: http, smoke

## TRIGGER

GET \${INGESTION_URL}/api/v2/document
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

${checks.map((check) => `- ${check}\n`).join('')}
## TIMEOUT

30s
`;
}

export function createScenario(...checks: string[]): Scenario {
  const scenario = parseScenario(scenarioText(checks), {}, () => {});
  if (!scenario) throw new Error(`not a scenario: ${checks.join(', ')}`);
  return scenario;
}

type FixtureResponse = {
  readonly status?: number;
  /** A JSON body; `raw` is the text of any other body. */
  readonly body?: Json;
  readonly raw?: string;
  readonly headers?: HeaderList;
  readonly sent?: HeaderList;
  readonly fault?: ExecutionFailure;
};

/** Evidence of one exchange; without `status` there is no response. */
export function createEvidence(observed: FixtureResponse): Evidence {
  const { status, fault, headers = [['content-type', 'application/json']], sent = [] } = observed;
  const text = observed.raw ?? (observed.body === undefined ? '' : JSON.stringify(observed.body));
  const response =
    status === undefined
      ? undefined
      : {
          status,
          headers,
          setCookies: headers.flatMap(([name, value]) => (name.toLowerCase() === 'set-cookie' ? [value] : [])),
          body: observeBody(observed),
          displayedBody: { text, sizeBytes: text.length, truncated: false },
        };
  return {
    startedAtMs: Date.UTC(2026, 10, 20, 14, 30, 12, 345),
    request: { method: 'GET', url: 'http://app:3100/api/v2/document', headers: sent, body: undefined },
    response,
    failure: fault,
    timings: { connectMs: 1.25, firstByteMs: 30.5, bodyMs: 31, totalMs: 31.5 },
  };
}

function observeBody({ body, raw }: FixtureResponse): ObservedBody {
  if (raw !== undefined) return { kind: 'not_json', problem: 'unexpected token <', excerpt: raw.slice(0, 40) };
  return body === undefined ? { kind: 'empty' } : { kind: 'json', value: body };
}

export function createFailure(kind: ExecutionFailure['kind']): ExecutionFailure {
  return { kind, message: `the words of ${kind}`, cure: `the cure of ${kind}` };
}
