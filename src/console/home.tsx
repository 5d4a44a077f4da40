import { Redirect } from 'wouter';
import { Command } from './parts/command.tsx';
import { Empty } from './parts/empty.tsx';
import { Problem } from './parts/problem.tsx';
import { Skeleton } from './parts/skeleton.tsx';
import { useCurrentInstance, useInstances } from './shell/current-instance.ts';
import { runsPath } from './shell/paths.ts';

/** To the runs of the instance looked at last; where there is none, how to make one. */
export function Home() {
  const { data, error, refetch } = useInstances();
  const current = useCurrentInstance();
  if (current !== undefined) return <Redirect to={runsPath(current)} replace />;
  if (error && !data) return <Problem error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={10} />;
  return (
    <>
      <title>Welcome · vp</title>
      <h1 className="unseen">Welcome</h1>
      <Empty title="No environment yet">
        <p>An instance stands for one running application. Register it:</p>
        <Command text="vp instances create my-app" />
        <p>Then start its executor beside the application, with the key that was printed:</p>
        <Command text={`VP_EXECUTOR_KEY=… vp executor --control-plane ${location.origin}`} />
        <p className="faint">This page goes on by itself.</p>
      </Empty>
    </>
  );
}
