import type { FailureGroup } from '../../contract/failures-api.ts';
import { StatusIcon } from '../components/status-icon.tsx';
import { QuarantineMark } from '../quarantines/quarantine-mark.tsx';

type FailureStateProps = { readonly failure: Pick<FailureGroup, 'state' | 'failing' | 'reopened' | 'quarantine'> };

/** In words and as a shape. An open failure is not failing where its scenario has passed or failed otherwise since. */
export function FailureState({ failure: { state, failing, reopened, quarantine } }: FailureStateProps) {
  if (state === 'resolved')
    return (
      <>
        <StatusIcon status="passed" decorative /> resolved
      </>
    );
  if (!failing)
    return (
      <>
        <StatusIcon status="cancelled" decorative /> not seen since
      </>
    );
  if (quarantine)
    return (
      <>
        <StatusIcon status="broken" decorative /> failing, <QuarantineMark quarantine={quarantine} />
      </>
    );
  return (
    <>
      <StatusIcon status="failed" decorative /> {reopened ? 'failing again' : 'failing'}
    </>
  );
}

/** The version of the target where it is known. */
export function SightingVersion({ version }: { version: string | null }) {
  return version === null ? null : (
    <span className="faint">
      , version <span className="mono">{version}</span>
    </span>
  );
}
