import { useState } from 'react';
import type { Quarantine } from '../../contract/quarantines-api.ts';
import { formatQuarantineEnd } from '../../run/quarantine.ts';
import { formatCount } from '../text/format.ts';
import { QuarantineDialog } from './quarantine-dialog.tsx';
import { useReleaseScenario } from './use-quarantines.ts';

type QuarantineProps = { readonly instance: string; readonly scenario: string };

/** Opens the dialog; `label` names the scenario where there are several buttons. */
export function QuarantineButton({
  instance,
  scenario,
  quarantine,
  label,
}: QuarantineProps & { readonly quarantine?: Quarantine | undefined; readonly label?: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={label && !quarantine ? 'quiet' : undefined}
        aria-label={label}
        onClick={() => setIsOpen(true)}
      >
        {quarantine ? 'Change…' : 'Quarantine…'}
      </button>
      {isOpen ? (
        <QuarantineDialog
          instance={instance}
          scenario={scenario}
          quarantine={quarantine}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </>
  );
}

/** It can be put in quarantine again, so nothing has to be confirmed. */
export function ReleaseButton({ instance, scenario, label }: QuarantineProps & { readonly label?: string }) {
  const release = useReleaseScenario(instance, scenario);
  return (
    <>
      <button type="button" aria-label={label} disabled={release.isPending} onClick={() => release.mutate()}>
        {release.isPending ? 'Releasing…' : 'Release'}
      </button>
      {release.error ? <span role="alert">{release.error.message}</span> : null}
    </>
  );
}

export function QuarantineEnd({ quarantine: { until, days_left: days } }: { quarantine: Quarantine }) {
  return (
    <>
      {formatQuarantineEnd(until)} <span className="faint">({formatCount(days, 'day')} left)</span>
    </>
  );
}

/** On the page of a scenario, above everything else. */
export function QuarantineNote({
  instance,
  quarantine,
  canWrite,
}: {
  readonly instance: string;
  readonly quarantine: Quarantine;
  readonly canWrite: boolean;
}) {
  const { scenario_id: scenario, reason, owner } = quarantine;
  return (
    <section aria-label="Quarantine">
      <p>
        <b>In quarantine</b> until <QuarantineEnd quarantine={quarantine} />: {reason}
      </p>
      <p className="hint">Owner: {owner}. It runs, and its failures do not count until then.</p>
      {canWrite ? (
        <div className="bar">
          <QuarantineButton instance={instance} scenario={scenario} quarantine={quarantine} />
          <ReleaseButton instance={instance} scenario={scenario} />
        </div>
      ) : null}
    </section>
  );
}
