import { Command } from '../parts/command.tsx';
import { Empty } from '../parts/empty.tsx';

/** A catalogue with nothing in it: what to type next. */
export function NoScenarios({ instance }: { instance: string }) {
  return (
    <Empty title="No scenarios yet">
      <p>A scenario says which request to send and what must come back. Put those of a folder into the catalogue:</p>
      <Command text={`vp scenarios push test --instance ${instance}`} />
    </Empty>
  );
}
