/** A target whose answers a test decides, and the scenarios about it. */
import type { Test } from 'tap';
import { type HttpTarget, httpTarget, json } from '../targets/http-target.ts';

/** Answers `/slow` only when it is let go; everything else at once. */
export type Shop = {
  readonly origin: string;
  /** What `/documents` counts. */
  count: number;
  letGo(): void;
};

/** Starts it; closed after the test. */
export async function shop(t: Test): Promise<Shop> {
  const kept: (() => void)[] = [];
  const target: HttpTarget = await httpTarget((request, response, arrived) => {
    const data = Array.from({ length: made.count }, (_, index) => ({ id: index + 1, name: `document ${index + 1}` }));
    const answer = (): void => json({ data, count: made.count })(request, response, arrived);
    if (arrived.url.startsWith('/slow')) kept.push(answer);
    else answer();
  });
  t.teardown(() => target.close());
  const made: Shop = {
    origin: target.origin,
    count: 3,
    letGo() {
      for (const answer of kept.splice(0)) answer();
    },
  };
  return made;
}

/** The text of a scenario about a path. */
export function scenarioText(id: string, path: string, checks: readonly string[]): string {
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

/** By file name. RT-COUNT is right about three documents, RT-MORE wants four, RT-SLOW waits. */
export const scenarios: Readonly<Record<string, string>> = {
  'RT-COUNT.md': scenarioText('RT-COUNT', '/documents', ['body has count equals 3', 'body has data[0].name']),
  'RT-MORE.md': scenarioText('RT-MORE', '/documents', ['body has count equals 4', 'body has data[2].id']),
  'RT-SLOW.md': scenarioText('RT-SLOW', '/slow', ['body has count']),
};
