import { AlternativeCommand } from '../components/command-line.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { EnvironmentSteps } from '../overview/first-steps.tsx';

/** Empty catalogue: shows the steps that are left. */
export function NoScenarios({ instance }: { instance: string }) {
  return (
    <EmptyState title="No scenarios yet">
      <p>A scenario defines a request and the response to expect.</p>
      <EnvironmentSteps id={instance} />
      <AlternativeCommand text={`vp scenarios push test --instance ${instance}`} />
    </EmptyState>
  );
}
