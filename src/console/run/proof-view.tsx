import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { RunDocument } from '../../contract/api.ts';
import type { ProvenCheck, Report, ReportProof, UncheckedPart } from '../../report/report.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Problem } from '../parts/problem.tsx';
import { useRequestRuns } from '../runs/use-request-runs.ts';
import { useMay } from '../session/use-session.ts';
import { runPath } from '../shell/paths.ts';
import { countText } from '../words/moments.ts';
import { NotLooked, Shortcoming } from './looked.tsx';

type ProofViewProps = {
  readonly run: RunDocument;
  readonly report: Report;
  readonly onChoose: (line: number) => void;
};

/** What each check would notice, and what none does. */
export function ProofView({ run, report: { proof }, onChoose }: ProofViewProps) {
  if (proof === null) return <NotProven run={run} />;
  return (
    <>
      <Shortcoming problem={proof.problem} cure={null} />
      {proof.problem === null ? <Summary proof={proof} /> : null}
      <ul className="proof">
        {proof.checks.map((check) => (
          <Check key={check.line} check={check} onChoose={onChoose} />
        ))}
      </ul>
      {proof.unchecked.length > 0 ? <Unchecked parts={proof.unchecked} /> : null}
    </>
  );
}

function NotProven({ run }: { run: RunDocument }) {
  const mayRun = useMay('member');
  const [, go] = useLocation();
  const request = useRequestRuns(run.instance);
  const prove = useMutation({
    mutationFn: async () => {
      const text = run.revision === null ? run.scenario_text : null;
      const scenarios = [text === null ? { id: run.scenario_id } : { text }];
      const [requested] = await request.mutateAsync({ scenarios, prove: true });
      return requested;
    },
    onSuccess: (requested) => requested && go(`${runPath(requested.run_id)}?tab=proof`),
  });
  return (
    <NotLooked
      title="The checks of this run were not proven"
      lines={`vp prove ${run.scenario_id} --instance ${run.instance}`}
    >
      <p>
        A proof changes what came back in every way that matters, judges again, and tells which checks would notice,
        which never fail, and what nothing looks at. It sends nothing more than the run itself.
      </p>
      {mayRun ? (
        <button type="button" className="strong" disabled={prove.isPending} onClick={() => prove.mutate()}>
          Run again and prove
        </button>
      ) : null}
      {prove.error ? <Problem error={prove.error} /> : null}
    </NotLooked>
  );
}

function Summary({ proof: { checks, changes, unchecked } }: { proof: ReportProof }) {
  const proven = checks.filter(({ verdict }) => verdict === 'proven').length;
  return (
    <p className="exchange-line">
      <span>
        <b>
          {proven} of {countText(checks.length, 'check')} proven
        </b>{' '}
        · {countText(changes, 'change')} tried · {countText(unchecked.length, 'part')} nothing looks at
      </span>
    </p>
  );
}

const verdictWords: Readonly<Record<ProvenCheck['verdict'], string>> = {
  proven: 'proven',
  covered: 'covered by others',
  never_fails: 'never fails',
  not_tried: 'not tried',
};

function Check({ check, onChoose }: { check: ProvenCheck; onChoose: (line: number) => void }) {
  const { text, line, verdict, changes, noticed, covered_by: coveredBy, example, advice } = check;
  return (
    <li className={`is-${verdict}`}>
      <p>
        <button
          type="button"
          className="quiet"
          onClick={() => onChoose(line)}
          aria-label={`Line ${line} of the scenario`}
        >
          {line}
        </button>
        <code>{text}</code>{' '}
        <span className={`badge ${verdict === 'never_fails' ? 'is-failed' : ''}`}>{verdictWords[verdict]}</span>
      </p>
      <p className="faint">
        {verdict === 'not_tried' ? null : `Noticed ${noticed} of ${countText(changes, 'change')}. `}
        {coveredBy.length > 0 ? `What it notices, line ${coveredBy.join(', ')} does too. ` : null}
        {example === null ? null : `For example: ${example}. `}
      </p>
      {advice === null ? null : <p>{advice}</p>}
    </li>
  );
}

function Unchecked({ parts }: { parts: readonly UncheckedPart[] }) {
  return (
    <section className="unchecked" aria-labelledby="unchecked">
      <h3 id="unchecked">Nothing looks at</h3>
      <ul className="proof">
        {parts.map(({ pointer, value, suggestion }) => (
          <li key={pointer}>
            <p>
              <code>{pointer === '' ? 'the whole body' : pointer}</code> <span className="faint mono">{value}</span>
            </p>
            <p className="suggestion">
              <code>- {suggestion}</code>
              <CopyButton text={`- ${suggestion}`} label="Copy check" />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
