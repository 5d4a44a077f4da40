import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { RunDocument } from '../../../contract/api.ts';
import type { ProvenCheck, Report, ReportProof, ReportUncheckedPart } from '../../../report/report.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { runPath } from '../../paths.ts';
import { useHasRole } from '../../session/use-session.ts';
import { formatCount } from '../../text/format.ts';
import { useRequestRuns } from '../use-request-runs.ts';
import { EvidenceProblem, MissingEvidenceNotice } from './missing-evidence.tsx';

type ProofViewProps = {
  readonly run: RunDocument;
  readonly report: Report;
  readonly onSelectCheck: (line: number) => void;
};

/** What each check would notice, and which parts of the response no check looks at. */
export function ProofView({ run, report: { proof }, onSelectCheck }: ProofViewProps) {
  if (proof === null) return <NotProven run={run} />;
  return (
    <>
      <EvidenceProblem problem={proof.problem} cure={null} />
      {proof.problem === null ? <Summary proof={proof} /> : null}
      <ul className="proof">
        {proof.checks.map((check) => (
          <CheckProof key={check.line} check={check} onSelectCheck={onSelectCheck} />
        ))}
      </ul>
      {proof.unchecked.length > 0 ? <UncheckedParts parts={proof.unchecked} /> : null}
    </>
  );
}

function NotProven({ run }: { run: RunDocument }) {
  const canRun = useHasRole('member');
  const [, navigate] = useLocation();
  const request = useRequestRuns(run.instance);
  const proveRun = useMutation({
    mutationFn: async () => {
      const text = run.revision === null ? run.scenario_text : null;
      const scenarios = [text === null ? { id: run.scenario_id } : { text }];
      const [requested] = await request.mutateAsync({ scenarios, prove: true });
      return requested;
    },
    onSuccess: (requested) => requested && navigate(`${runPath(requested.run_id)}?tab=proof`),
  });
  return (
    <MissingEvidenceNotice
      title="The checks of this run were not proven"
      command={`vp prove ${run.scenario_id} --instance ${run.instance}`}
    >
      <p>
        A proof changes the recorded response in every way that matters and judges it again. It shows which checks would
        notice a change, which never fail, and which parts of the response no check looks at. It sends no additional
        requests.
      </p>
      {canRun ? (
        <button type="button" className="strong" disabled={proveRun.isPending} onClick={() => proveRun.mutate()}>
          Run again and prove
        </button>
      ) : null}
      {proveRun.error ? <ErrorNotice error={proveRun.error} /> : null}
    </MissingEvidenceNotice>
  );
}

function Summary({ proof: { checks, changes, unchecked } }: { proof: ReportProof }) {
  const proven = checks.filter(({ verdict }) => verdict === 'proven').length;
  return (
    <p className="exchange-line">
      <span>
        <b>
          {proven} of {formatCount(checks.length, 'check')} proven
        </b>{' '}
        · {formatCount(changes, 'change')} tried · {formatCount(unchecked.length, 'unchecked part')}
      </span>
    </p>
  );
}

const verdictLabels: Readonly<Record<ProvenCheck['verdict'], string>> = {
  proven: 'proven',
  covered: 'covered by other checks',
  never_fails: 'never fails',
  not_tried: 'not tried',
};

function CheckProof({ check, onSelectCheck }: { check: ProvenCheck; onSelectCheck: (line: number) => void }) {
  const { text, line, verdict, changes, noticed, covered_by: coveredBy, example, advice } = check;
  return (
    <li className={`is-${verdict}`}>
      <p>
        <button
          type="button"
          className="quiet"
          onClick={() => onSelectCheck(line)}
          aria-label={`Line ${line} of the scenario`}
        >
          {line}
        </button>
        <code>{text}</code>{' '}
        <span className={`badge ${verdict === 'never_fails' ? 'is-failed' : ''}`}>{verdictLabels[verdict]}</span>
      </p>
      <p className="faint">
        {verdict === 'not_tried' ? null : `Noticed ${noticed} of ${formatCount(changes, 'change')}. `}
        {coveredBy.length > 0 ? `Line ${coveredBy.join(', ')} notices the same changes. ` : null}
        {example === null ? null : `For example: ${example}. `}
      </p>
      {advice === null ? null : <p>{advice}</p>}
    </li>
  );
}

export function UncheckedParts({ parts }: { parts: readonly ReportUncheckedPart[] }) {
  return (
    <section className="unchecked" aria-labelledby="unchecked">
      <h2 id="unchecked">Unchecked parts</h2>
      <ul className="proof">
        {parts.map(({ pointer, value, suggestion, note }) => (
          <li key={pointer}>
            <p>
              <code>{pointer === '' ? 'the whole body' : pointer}</code> <span className="faint mono">{value}</span>
            </p>
            <p className="suggestion">
              <code>- {suggestion}</code>
              <CopyButton text={`- ${suggestion}`} label="Copy check" />
            </p>
            {note === undefined ? null : <p>{note}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
