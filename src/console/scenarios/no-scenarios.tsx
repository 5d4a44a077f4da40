import { CommandLine } from '../components/command-line.tsx';
import { EmptyState } from '../components/empty-state.tsx';

/** Empty catalogue: shows the next command to type. */
export function NoScenarios({ instance }: { instance: string }) {
  return (
    <EmptyState title="No scenarios yet">
      <p>A scenario defines a request and the response to expect. Add the scenarios of a folder to the catalogue:</p>
      <CommandLine text={`vp scenarios push test --instance ${instance}`} />
    </EmptyState>
  );
}
