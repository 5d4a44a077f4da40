import { useQuery } from '@tanstack/react-query';
import { Command } from '../parts/command.tsx';
import { Empty } from '../parts/empty.tsx';
import { useConnection } from '../session/connection.ts';

/** The first visit: what to type next. */
export function NoRuns({ instance }: { instance: string }) {
  const { scenarios } = useConnection();
  const { data } = useQuery({
    queryKey: ['scenarios', instance],
    queryFn: ({ signal }) => scenarios.all(instance, { signal }),
    staleTime: 60_000,
  });
  if (data?.length === 0) {
    return (
      <Empty title="No scenarios yet">
        <p>A scenario says which request to send and what must come back. Put those of a folder into the catalogue:</p>
        <Command text={`vp scenarios push test --instance ${instance}`} />
      </Empty>
    );
  }
  const [first] = data ?? [];
  return (
    <Empty title="Nothing has run here yet">
      <p>Press Run… above, or type:</p>
      <Command text={`vp run ${first?.scenario_id ?? '<ID>'} --instance ${instance}`} />
    </Empty>
  );
}
