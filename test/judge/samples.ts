/** Scenarios and evidence in few words, for tests of judging and reporting. */
import type { Json, ObservedBody } from '../../src/check/observed.ts';
import type { Evidence, Fault, HeaderList } from '../../src/run/evidence.ts';
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

/** That scenario, read. */
export function scenarioOf(...checks: string[]): Scenario {
  const scenario = parseScenario(scenarioText(checks), {}, () => {});
  if (!scenario) throw new Error(`not a scenario: ${checks.join(', ')}`);
  return scenario;
}

type Observed = {
  readonly status?: number;
  /** The body as JSON; `raw` for what is none. */
  readonly body?: Json;
  readonly raw?: string;
  readonly headers?: HeaderList;
  readonly sent?: HeaderList;
  readonly fault?: Fault;
};

/** Evidence of one exchange; without `status` no answer came. */
export function evidenceOf(observed: Observed): Evidence {
  const { status, fault, headers = [['content-type', 'application/json']], sent = [] } = observed;
  const text = observed.raw ?? (observed.body === undefined ? '' : JSON.stringify(observed.body));
  const response =
    status === undefined
      ? undefined
      : { status, headers, body: bodyOf(observed), shownBody: { text, sizeBytes: text.length, truncated: false } };
  return {
    startedAtMs: Date.UTC(2026, 10, 20, 14, 30, 12, 345),
    request: { method: 'GET', url: 'http://app:3100/api/v2/document', headers: sent, body: undefined },
    response,
    fault,
    timings: { connectMs: 1.25, firstByteMs: 30.5, bodyMs: 31, totalMs: 31.5 },
  };
}

function bodyOf({ body, raw }: Observed): ObservedBody {
  if (raw !== undefined) return { kind: 'not_json', problem: 'unexpected token <', excerpt: raw.slice(0, 40) };
  return body === undefined ? { kind: 'empty' } : { kind: 'json', value: body };
}

/** A fault of a kind. */
export function faultOf(kind: Fault['kind']): Fault {
  return { kind, message: `the words of ${kind}`, cure: `the cure of ${kind}` };
}
