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
        {isGrpc(request) ? (
          <CopyButton text={formatGrpcCommand(request)} label="Copy as grpcurl" />
        ) : (
          <CopyButton text={formatCurlCommand(request)} label="Copy as curl" />
        )}
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

type ReportRequest = NonNullable<ReportExchange['request']>;

function isGrpc({ headers }: ReportRequest): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'content-type' && value === 'application/grpc');
}

/** Formats the call as a command of grpcurl, which asks the target for the schema. */
export function formatGrpcCommand({ url, headers, body }: ReportRequest): string {
  const { protocol, host, port, pathname } = new URL(url);
  const metadata = headers.filter(
    ([name]) => !/^(?:host|content-type|te|grpc-accept-encoding|user-agent)$/i.test(name),
  );
  const address = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
  const parts = [
    protocol === 'https:' ? 'grpcurl' : 'grpcurl -plaintext',
    ...metadata.map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quoteForShell(body)}`]),
    `${quoteForShell(address)} ${quoteForShell(pathname.slice(1))}`,
  ];
  return parts.join(' \\\n  ');
}

/** Formats the request as a curl command. Redacted values remain redacted. */
export function formatCurlCommand({ method, url, headers, body }: ReportRequest): string {
  const sentHeaders = headers.filter(([name]) => !connectionHeaders.has(name.toLowerCase()));
  const parts = [
    method === 'HEAD' ? 'curl --head' : `curl -i -X ${method}`,
    quoteForShell(url),
    ...sentHeaders.map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quoteForShell(body)}`]),
  ];
  return parts.join(' \\\n  ');
}
