import { Command } from '../parts/command.tsx';
import { Empty } from '../parts/empty.tsx';
import { NoScenarios } from '../scenarios/no-scenarios.tsx';
import { useCatalogue } from '../scenarios/use-catalogue.ts';

/** The first visit: what to type next. */
export function NoRuns({ instance }: { instance: string }) {
  const { data } = useCatalogue(instance, 60_000);
  if (data?.length === 0) return <NoScenarios instance={instance} />;
  const [first] = data ?? [];
  return (
    <Empty title="Nothing has run here yet">
      <p>Press Run… above, or type:</p>
      <Command text={`vp run ${first?.scenario_id ?? '<ID>'} --instance ${instance}`} />
    </Empty>
  );
}
