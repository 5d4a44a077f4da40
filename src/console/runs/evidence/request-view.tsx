import type { Report } from '../../../report/report.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { BodyView } from './body-view.tsx';
import { formatCurlCommand } from './curl-command.ts';
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
          checks={[]}
          selected={undefined}
          selectedByUser={false}
          onSelectCheck={ignoreSelection}
        />
      )}
    </>
  );
}
