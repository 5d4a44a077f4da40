import { Link } from 'wouter';
import { DataTable } from '../components/data-table.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { scenarioPath } from '../paths.ts';
import { QuarantineButton, QuarantineEnd, ReleaseButton } from './quarantine-actions.tsx';
import { useQuarantines } from './use-quarantines.ts';

/** All scenarios in quarantine, those that end first; nothing where there are none. */
export function QuarantineList({ instance, canWrite }: { readonly instance: string; readonly canWrite: boolean }) {
  const { data, error, refetch } = useQuarantines(instance);
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={1} label="Loading quarantines" />;
  if (data.size === 0) return null;
  return (
    <section aria-labelledby="quarantines">
      <h2 id="quarantines">In quarantine</h2>
      <p className="hint">They run, and their failures do not count until the end.</p>
      <DataTable className="attention" columns={['Scenario', 'Until', 'Owner', 'Reason', 'Actions']}>
        {[...data.values()].map((quarantine) => (
          <tr key={quarantine.scenario_id}>
            <td className="wrap">
              <Link href={scenarioPath(instance, quarantine.scenario_id)} className="run-name">
                {quarantine.scenario_id}
              </Link>
            </td>
            <td data-label="Until">
              <QuarantineEnd quarantine={quarantine} />
            </td>
            <td data-label="Owner" className="wrap">
              {quarantine.owner}
            </td>
            <td data-label="Reason" className="wrap">
              {quarantine.reason}
            </td>
            <td data-label="Actions">
              {canWrite ? (
                <span className="bar">
                  <QuarantineButton
                    instance={instance}
                    scenario={quarantine.scenario_id}
                    quarantine={quarantine}
                    label={`Change the quarantine of ${quarantine.scenario_id}`}
                  />
                  <ReleaseButton
                    instance={instance}
                    scenario={quarantine.scenario_id}
                    label={`Release ${quarantine.scenario_id}`}
                  />
                </span>
              ) : null}
            </td>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}
