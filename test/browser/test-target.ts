/** A target with responses that the test controls, and scenarios for it. */
import type { Test } from 'tap';
import { type HttpTarget, respondWithJson, startHttpTarget } from '../targets/http-target.ts';

/** Delays the responses to `/slow` until `releaseSlow`, which may come before the request of a run that is displayed as running. */
export type TestTarget = {
  readonly origin: string;
  /** The number of documents. */
  count: number;
  /** Called with the X-Request-Id of each request before its response. */
  onRequest: (requestId: string) => void;
  releaseSlow(): void;
};

/** Starts a target for the duration of the test. */
export async function startTestTarget(t: Test): Promise<TestTarget> {
  const heldResponses: (() => void)[] = [];
  let isReleased = false;
  const target: HttpTarget = await startHttpTarget((request, response, received) => {
    state.onRequest(String(request.headers['x-request-id']));
    const data = Array.from({ length: state.count }, (_, index) => ({ id: index + 1, name: `document ${index + 1}` }));
    const respond = (): void => respondWithJson({ data, count: state.count })(request, response, received);
    if (received.url.startsWith('/slow') && !isReleased) heldResponses.push(respond);
    else respond();
  });
  t.teardown(() => target.close());
  const state: TestTarget = {
    origin: target.origin,
    count: 3,
    onRequest: () => {},
    releaseSlow() {
      isReleased = true;
      for (const respond of heldResponses.splice(0)) respond();
    },
  };
  return state;
}

/** Returns the text of a scenario that requests `path`. */
export function createScenarioText(id: string, path: string, checks: readonly string[]): string {
  const bullets = ['status=200', ...checks].map((check) => `- ${check}`).join('\n');
  return `# Scenario: GET ${path.slice(1)}

## Metadata

- ID: ${id}
- Layer: HTTP Ingestion
- Tags: smoke

## TRIGGER

GET \${INGESTION_URL}${path}
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

${bullets}

## TIMEOUT

60s
`;
}

/** Scenario texts by file name. RT-COUNT expects three documents, RT-MORE expects four, RT-SLOW waits. */
export const scenarios: Readonly<Record<string, string>> = {
  'RT-COUNT.md': createScenarioText('RT-COUNT', '/documents', ['body has count equals 3', 'body has data[0].name']),
  'RT-MORE.md': createScenarioText('RT-MORE', '/documents', ['body has count equals 4', 'body has data[2].id']),
  'RT-SLOW.md': createScenarioText('RT-SLOW', '/slow', ['body has count']),
};
