import type { Report, ReportCheck } from '../../report/report.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { sizeText } from '../words/moments.ts';
import { BodyView } from './body-view.tsx';
import { HeadersView } from './headers-view.tsx';

type ResponseViewProps = {
  readonly report: Report;
  readonly chosen: number | undefined;
  readonly asked: boolean;
  readonly onChoose: (line: number) => void;
};

/** What came back. */
export function ResponseView({ report, chosen, asked, onChoose }: ResponseViewProps) {
  const { response } = report.exchange;
  if (!response) return <p className="faint">No answer came.</p>;
  const { text, size_bytes: size, truncated } = response.body;
  const type = response.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return (
    <>
      <p className="exchange-line">
        <StatusCode status={response.status} checks={report.checks} /> · {sizeText(size)} · {type ?? 'no content type'}
        {truncated ? ' · the beginning only' : ''}
        {text ? <CopyButton text={text} label="Copy body" /> : null}
      </p>
      <HeadersView headers={response.headers} />
      {text === null ? (
        <p className="faint">{size === 0 ? 'The body is empty.' : 'The body is not text, or has expired.'}</p>
      ) : (
        <BodyView text={text} checks={report.checks} chosen={chosen} asked={asked} onChoose={onChoose} />
      )}
    </>
  );
}

function StatusCode({ status, checks }: { status: number; checks: readonly ReportCheck[] }) {
  const check = checks.find(({ kind }) => kind === 'status');
  return <b className={check?.outcome === 'failed' ? 'is-failed' : undefined}>{status}</b>;
}
