import type { ReportExchange } from '../../../report/report.ts';

/** Headers that curl sets itself. */
const connectionHeaders: ReadonlySet<string> = new Set(['host', 'content-length', 'connection', 'transfer-encoding']);

/** Quotes a text so that a POSIX shell takes it literally. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Formats the request as a curl command. Redacted values remain redacted. */
export function formatCurlCommand({ method, url, headers, body }: NonNullable<ReportExchange['request']>): string {
  const sentHeaders = headers.filter(([name]) => !connectionHeaders.has(name.toLowerCase()));
  const parts = [
    method === 'HEAD' ? 'curl --head' : `curl -i -X ${method}`,
    quoteForShell(url),
    ...sentHeaders.map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quoteForShell(body)}`]),
  ];
  return parts.join(' \\\n  ');
}
