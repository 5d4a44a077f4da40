/** Formats the result of a probe. */
import type { Report } from '../../report/report.ts';
import { judgedFailureKinds } from '../../run/state.ts';
import { joinLines, takeWithinLength, truncate } from '../tools/result-text.ts';
import { selectResponseValues } from './select-values.ts';

/** Maximum length of all headers of one list. */
const maxHeadersLength = 1200;

/**
 * The exchange with bounded sizes. A probe expects nothing, so `failure` is set only when the response is missing or
 * incomplete.
 */
export function toProbeResult({ exchange, failure, timings, correlation_id, log }: Report, maxBodyLength: number) {
  const { request, response } = exchange;
  const formatHeaders = (list: readonly (readonly [string, string])[]) =>
    takeWithinLength(
      list.slice(0, 40).map(([name, value]) => `${name}: ${truncate(value, 200)}`),
      maxHeadersLength,
    );
  const body = response?.body.text ?? null;
  return {
    failure: failure && !judgedFailureKinds.has(failure.kind) ? failure : null,
    status: response?.status ?? null,
    response_headers: response ? formatHeaders(response.headers) : [],
    body: body === null ? null : truncate(body, maxBodyLength),
    size_bytes: response?.body.size_bytes ?? null,
    body_complete: body !== null && response?.body.truncated === false && body.length <= maxBodyLength,
    request: request && { url: truncate(request.url, 1000), headers: formatHeaders(request.headers) },
    correlation_id,
    duration_ms: timings.total_ms,
    log_line_count: log?.line_count ?? null,
  };
}

export function formatProbeResult(result: ReturnType<typeof toProbeResult>): string {
  const { failure, status, response_headers, body, size_bytes, body_complete, duration_ms, correlation_id } = result;
  return joinLines(
    failure && `${failure.kind}: ${failure.message}\nFix: ${failure.cure}`,
    status !== null &&
      `${status}, ${size_bytes} bytes, ${Math.round(duration_ms)} ms, correlation id ${correlation_id}`,
    ...response_headers.slice(0, 20),
    body !== null && body !== '' && `\n${body}`,
    status !== null && body === null && 'The body is not text.',
    body !== null &&
      !body_complete &&
      `Only the first ${body.length} characters are shown: call it again with body_limit up to 10000, or request less from the target, for example by paging.`,
  );
}

/** One of several: its status and the beginning of its body. */
export function formatShortProbeResult(result: ReturnType<typeof toProbeResult>): string {
  const { failure, status, body, size_bytes, body_complete } = result;
  if (failure) return `${failure.kind}: ${failure.message}; ${failure.cure}`;
  const size = body_complete ? '' : ` (${size_bytes} bytes in all)`;
  return `${status}${body === null || body === '' ? '' : `\n${body}${size}`}`;
}

/** Selects how many lines of the target's log hold the id of the request: the number of queries, where each one is logged. */
export const logLinesSelector = 'log.lines';

function formatLogLines({ log }: Report): string {
  if (!log || log.problem !== null) return truncate(`not known: ${log?.problem ?? 'no log is read'}`, 200);
  return log.line_count > 0
    ? String(log.line_count)
    : '0, or the request did not carry X-Request-Id: ${correlation_id}';
}

/** Only the selected values, on one line where there is one of them. */
export function toSelectedResult(report: Report, selectors: readonly string[]): string {
  const { response } = report.exchange;
  const { failure } = report;
  if (!response) return failure ? `${failure.kind}: ${failure.message}; ${failure.cure}` : 'no response';
  const ofResponse = selectors.filter((selector) => selector !== logLinesSelector);
  const values = [
    ...Object.entries(selectResponseValues(response, ofResponse)),
    ...(ofResponse.length === selectors.length ? [] : [[logLinesSelector, formatLogLines(report)] as const]),
  ];
  const [first] = values;
  if (values.length === 1 && first) return first[1];
  return values.map(([selector, value]) => `${selector}: ${value}`).join('; ');
}
