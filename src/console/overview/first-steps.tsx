import { Checklist, type ChecklistStep } from '../components/checklist.tsx';
import { useHubs } from '../hub/current-hub.ts';
import { runsPath, scenarioPath } from '../paths.ts';
import { useCanEditInstance, useHasRole } from '../session/use-session.ts';
import { useInstance } from '../shell/current-instance.ts';
import { type InstanceResults, useInstanceResults } from './use-attention.ts';

export type StepName = 'environment' | 'executor' | 'scenario' | 'run';

/** Steps to the first verdict that are still to be done, in their order. */
export function listMissingSteps(environments: readonly InstanceResults[]): readonly StepName[] {
  const results = environments.flatMap((environment) => environment.results ?? []);
  const done: Readonly<Record<StepName, boolean>> = {
    environment: environments.length > 0,
    executor: environments.some(({ instance }) => instance.executor_status !== 'NEVER_SEEN'),
    scenario: results.length > 0,
    run: results.some(({ last_run: run }) => run !== null),
  };
  return stepNames.filter((name) => !done[name]);
}

const stepNames = ['environment', 'executor', 'scenario', 'run'] as const;

/** Steps that the reader may not do have no link. */
function useFirstSteps(environments: readonly InstanceResults[]): readonly ChecklistStep[] {
  const missing = listMissingSteps(environments);
  const instance = environments[0]?.instance;
  const mayRun = useHasRole('member');
  const mayWrite = useCanEditInstance(instance);
  const id = instance?.instance_id;
  const steps: readonly (readonly [name: StepName, text: string, href: string | undefined])[] = [
    ['environment', 'Register an environment', mayRun ? '/settings/environments' : undefined],
    ['executor', 'Start its executor next to the application', '/settings/environments'],
    ['scenario', 'Write a scenario', id !== undefined && mayWrite ? scenarioPath(id, 'new') : undefined],
    ['run', 'Run it', id !== undefined && mayRun ? runsPath(id) : undefined],
  ];
  return steps.map(([name, text, href]) => ({ text, href, isDone: !missing.includes(name) }));
}

/** The way to the first verdict as a checklist. */
export function FirstSteps({ environments }: { environments: readonly InstanceResults[] }) {
  const steps = useFirstSteps(environments);
  const hasHub = (useHubs().data ?? []).length > 0;
  const hubStep = { text: 'Create a hub for the tools of your agents (optional)', href: '/hubs', isDone: hasHub };
  return (
    <section aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <Checklist steps={[...steps, hubStep]} />
    </section>
  );
}

/** {@link EnvironmentSteps} until the environment has its first run: what other pages show needs runs. */
export function RemainingSteps({ id }: { id: string | undefined }) {
  const instance = useInstance(id ?? '');
  const environments = useInstanceResults(instance === undefined ? [] : [instance]);
  return listMissingSteps(environments).length === 0 ? null : <EnvironmentSteps id={id} />;
}

/** The way to the first verdict of one environment, which is undefined where none is registered. */
export function EnvironmentSteps({ id }: { id: string | undefined }) {
  const instance = useInstance(id ?? '');
  const environments = useInstanceResults(instance === undefined ? [] : [instance]);
  const steps = useFirstSteps(environments);
  if (environments.some(({ results }) => results === undefined)) return null;
  return <Checklist steps={steps} />;
}
