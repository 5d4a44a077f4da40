import { formatSize } from '../../../report/measures.ts';
import type { Report, ReportCheck } from '../../../report/report.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { BodyView } from './body-view.tsx';
import { HeadersView } from './headers-view.tsx';

type ResponseViewProps = {
  readonly report: Report;
  readonly selectedLine: number | undefined;
  readonly selectedByUser: boolean;
  readonly onSelectCheck: (line: number) => void;
};

export function ResponseView({ report, selectedLine, selectedByUser, onSelectCheck }: ResponseViewProps) {
  const { response } = report.exchange;
  if (!response) return <p className="faint">No response was received.</p>;
  const { text, size_bytes: size, truncated } = response.body;
  const type = response.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return (
    <>
      <p className="exchange-line">
        <StatusCode status={response.status} checks={report.checks} /> · {formatSize(size)} ·{' '}
        {type ?? 'no content type'}
        {truncated && text ? ` · the first ${formatSize(new TextEncoder().encode(text).length)} are stored` : ''}
        {text ? <CopyButton text={text} label="Copy body" /> : null}
      </p>
      <HeadersView headers={response.headers} />
      {text === null ? (
        <p className="faint">{size === 0 ? 'The body is empty.' : 'The body is not text, or has expired.'}</p>
      ) : (
        <BodyView
          text={text}
          truncated={truncated}
          checks={report.checks}
          selected={selectedLine}
          selectedByUser={selectedByUser}
          onSelectCheck={onSelectCheck}
        />
      )}
    </>
  );
}

function StatusCode({ status, checks }: { status: number; checks: readonly ReportCheck[] }) {
  const check = checks.find(({ kind, step }) => kind === 'status' && step === undefined);
  return <b className={check?.outcome === 'failed' ? 'is-failed' : undefined}>{status}</b>;
}
