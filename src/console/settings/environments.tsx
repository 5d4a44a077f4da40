import { Command } from '../parts/command.tsx';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useMay } from '../session/use-session.ts';
import { useInstances } from '../shell/current-instance.ts';
import { InstanceCard } from './instance-card.tsx';
import { NewInstance } from './new-instance.tsx';

/** Every instance and how its executor is doing. */
export function Environments() {
  const { data, error, refetch } = useInstances();
  const mayCreate = useMay('member');
  if (error && !data) return <Problem error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={4} />;
  return (
    <>
      {data.length === 0 ? (
        <Empty title="No environment yet">
          <p>An instance stands for one running application. Register it below, or by:</p>
          <Command text="vp instances create my-app" />
        </Empty>
      ) : null}
      <div className="cards">
        {data.map((instance) => (
          <InstanceCard key={instance.instance_id} instance={instance} />
        ))}
      </div>
      {mayCreate ? <NewInstance /> : null}
    </>
  );
}
