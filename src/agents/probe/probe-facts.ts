/** What a probe heard. */
import type { Report } from '../../report/report.ts';
import { cut } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';

/** A status that was not 200 is no failure here: nothing was expected. */
const judgements: ReadonlySet<string> = new Set(['status_mismatch', 'body_mismatch', 'evidence_mismatch']);

/** The exchange, bounded; `failure` only where there is no whole answer. */
export function probeFacts({ exchange, failure, timings, correlation_id, log }: Report, mostBody: number) {
  const { request, response } = exchange;
  const headers = (list: readonly (readonly [string, string])[]) =>
    list.slice(0, 40).map(([name, value]) => `${name}: ${cut(value, 300)}`);
  const body = response?.body.text ?? null;
  return {
    failure: failure && !judgements.has(failure.kind) ? failure : null,
    status: response?.status ?? null,
    response_headers: response ? headers(response.headers) : [],
    body: body === null ? null : cut(body, mostBody),
    size_bytes: response?.body.size_bytes ?? null,
    body_complete: body !== null && response?.body.truncated === false && body.length <= mostBody,
    request: request && { url: cut(request.url, 1000), headers: headers(request.headers) },
    correlation_id,
    duration_ms: timings.total_ms,
    log_line_count: log?.line_count ?? null,
  };
}

/** The same for reading. */
export function probeText(facts: ReturnType<typeof probeFacts>): string {
  const { failure, status, response_headers, body, size_bytes, body_complete, duration_ms, correlation_id } = facts;
  return linesOf(
    failure && `${failure.kind}: ${failure.message}\nCure: ${failure.cure}`,
    status !== null &&
      `${status}, ${size_bytes} bytes, ${Math.round(duration_ms)} ms, correlation id ${correlation_id}`,
    ...response_headers.slice(0, 20),
    body !== null && body !== '' && `\n${body}`,
    status !== null && body === null && 'The body is not text.',
    body !== null &&
      !body_complete &&
      'Only the beginning of the body is shown: ask the target for less, for example by paging.',
  );
}
