import type { ReportExchange } from '../../report/report.ts';

/** Headers that the connection itself sets. */
const own: ReadonlySet<string> = new Set(['host', 'content-length', 'connection', 'transfer-encoding']);

/** For POSIX shells: nothing inside is touched by them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request as a curl command. What was redacted stays so and has to be filled in. */
export function curlOf({ method, url, headers, body }: NonNullable<ReportExchange['request']>): string {
  const sent = headers.filter(([name]) => !own.has(name.toLowerCase()));
  const parts = [
    method === 'HEAD' ? 'curl --head' : `curl -i -X ${method}`,
    quoted(url),
    ...sent.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}
