import { useMutation } from '@tanstack/react-query';
import type { HubToolVerification, ToolScenarioResult } from '../../../contract/hubs/tool-verification-api.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { useClient } from '../../session/client.ts';
import { formatCount } from '../../text/format.ts';

const outcomeLabels = { passed: 'passed', failed: 'failed', broken: 'could not be judged' } as const;

type ToolVerificationProps = {
  readonly hub: string;
  readonly connection: string;
  readonly tool: string;
  /** Of the definition that is displayed beside it. */
  readonly digest: string;
};

/** Runs the scenarios of a tool against its waiting definition, beside the differences. */
export function ToolVerification({ hub, connection, tool, digest }: ToolVerificationProps) {
  const { hubPolicy } = useClient();
  const verify = useMutation({ mutationFn: () => hubPolicy.verifyTool(hub, { connection, tool, digest }) });
  const { data: verification, error, isPending } = verify;
  return (
    <section aria-label={`Scenarios of ${tool}`}>
      <p className="actions">
        <button type="button" className="small" disabled={isPending} onClick={() => verify.mutate()}>
          {isPending ? 'Running scenarios…' : 'Run scenarios'}
          <span className="visually-hidden"> of {tool}</span>
        </button>
        <span className="faint">
          Calls the tool with this definition, as its scenarios say and in your name, before you approve it.
        </span>
      </p>
      <div role="status">
        {verification && verification.digest !== digest ? (
          <p className="help">The definition has changed since these scenarios were run. Run them again.</p>
        ) : null}
        {verification && verification.digest === digest ? <VerificationResults verification={verification} /> : null}
      </div>
      {error ? <ErrorNotice error={error} /> : null}
    </section>
  );
}

function VerificationResults({ verification: { results, omitted } }: { verification: HubToolVerification }) {
  if (results.length === 0) return <p className="faint">No scenario calls this tool, so nothing was verified.</p>;
  return (
    <>
      <ul className="plain-list">
        {results.map((result) => (
          <li key={`${result.instance} ${result.scenario}`}>
            <ScenarioOutcome result={result} />
          </li>
        ))}
      </ul>
      {omitted === 0 ? null : <p className="faint">{formatCount(omitted, 'more scenario')} not run.</p>}
    </>
  );
}

function ScenarioOutcome({ result: { instance, scenario, outcome, message, checks } }: { result: ToolScenarioResult }) {
  return (
    <div>
      <StatusIcon status={outcome} decorative title={outcome} /> <code>{scenario}</code>{' '}
      <span className="faint">of {instance}</span> {outcomeLabels[outcome]}
      {message === null ? null : <p className="faint">{message}</p>}
      {checks
        .filter(({ passed }) => passed === false)
        .map(({ text, actual }) => (
          <p key={text} className="faint">
            <code>{text}</code>: {actual}
          </p>
        ))}
    </div>
  );
}
