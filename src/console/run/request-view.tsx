import type { Report } from '../../report/report.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { BodyView } from './body-view.tsx';
import { curlOf } from './curl.ts';
import { HeadersView } from './headers-view.tsx';

const nothing = (): void => {};

/** What was sent, secrets left out. */
export function RequestView({ report }: { report: Report }) {
  const { request } = report.exchange;
  if (!request) return <p className="faint">Nothing was sent.</p>;
  return (
    <>
      <p className="exchange-line">
        <b>{request.method}</b> <span className="mono">{request.url}</span>
        <CopyButton text={curlOf(request)} label="Copy as curl" />
      </p>
      <HeadersView headers={request.headers} open />
      {request.body === null ? (
        <p className="faint">No body.</p>
      ) : (
        <BodyView text={request.body} checks={[]} chosen={undefined} asked={false} onChoose={nothing} />
      )}
    </>
  );
}
