import { Redirect } from 'wouter';
import { CommandLine } from './components/command-line.tsx';
import { EmptyState } from './components/empty-state.tsx';
import { ErrorNotice } from './components/error-notice.tsx';
import { Skeleton } from './components/skeleton.tsx';
import { runsPath } from './paths.ts';
import { useCurrentInstance, useInstances } from './shell/current-instance.ts';

/** Redirects to the runs of the current instance. Without an instance it explains how to create one. */
export function Home() {
  const { data, error, refetch } = useInstances();
  const currentInstance = useCurrentInstance();
  if (currentInstance !== undefined) return <Redirect to={runsPath(currentInstance)} replace />;
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={10} />;
  return (
    <>
      <title>Welcome · vp</title>
      <h1 className="unseen">Welcome</h1>
      <EmptyState title="No environment yet">
        <p>An instance stands for one running application. Register it:</p>
        <CommandLine text="vp instances create my-app" />
        <p>Then start its executor next to the application, with the key that the command printed:</p>
        <CommandLine text={`VP_EXECUTOR_KEY=… vp executor --control-plane ${location.origin}`} />
        <p className="faint">This page updates automatically.</p>
      </EmptyState>
    </>
  );
}
