import { AlternativeCommand } from '../../components/command-line.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { EnvironmentSteps } from '../../overview/first-steps.tsx';
import { useHasRole } from '../../session/use-session.ts';
import { useInstances } from '../../shell/current-instance.ts';
import { InstanceCard } from './instance-card.tsx';
import { NewInstanceForm } from './new-instance.tsx';

export function EnvironmentsPage() {
  const { data, error, refetch } = useInstances();
  const mayCreate = useHasRole('member');
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={4} />;
  return (
    <>
      {data.length === 0 ? (
        <EmptyState title="No environments yet">
          <p>
            An environment is one running application with its executor.{' '}
            {mayCreate ? 'Register it below.' : 'A member of the control plane registers it.'}
          </p>
          <EnvironmentSteps id={undefined} />
          {mayCreate ? <AlternativeCommand text="vp instances create my-app" /> : null}
        </EmptyState>
      ) : null}
      <div className="cards">
        {data.map((instance) => (
          <InstanceCard key={instance.instance_id} instance={instance} />
        ))}
      </div>
      {mayCreate ? <NewInstanceForm /> : null}
    </>
  );
}
