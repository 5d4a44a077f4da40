import type { Report, ReportExchange } from '../../../report/report.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { BodyView } from './body-view.tsx';
import { HeadersView } from './headers-view.tsx';

const ignoreSelection = (): void => {};

/** The sent request without secrets. */
export function RequestView({ report }: { report: Report }) {
  const { request } = report.exchange;
  if (!request) return <p className="faint">No request was sent.</p>;
  return (
    <>
      <p className="exchange-line">
        <b>{request.method}</b> <span className="mono">{request.url}</span>
        <CopyButton text={formatCurlCommand(request)} label="Copy as curl" />
      </p>
      <HeadersView headers={request.headers} open />
      {request.body === null ? (
        <p className="faint">No body.</p>
      ) : (
        <BodyView
          text={request.body}
          truncated={false}
          checks={[]}
          selected={undefined}
          selectedByUser={false}
          onSelectCheck={ignoreSelection}
        />
      )}
    </>
  );
}

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
