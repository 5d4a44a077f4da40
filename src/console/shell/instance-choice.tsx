import { useLocation } from 'wouter';
import { Choice } from '../parts/choice.tsx';
import { useCurrentInstance, useInstances } from './current-instance.ts';
import { runsPath } from './paths.ts';

/** Which instance; shown as soon as there is one. */
export function InstanceChoice() {
  const { data = [] } = useInstances();
  const current = useCurrentInstance();
  const [, go] = useLocation();
  if (current === undefined) return null;
  const ids = [...new Set([...data.map(({ instance_id }) => instance_id), current])];
  return (
    <Choice label="Instance" value={current} options={ids.map((id) => [id, id])} onChoose={(id) => go(runsPath(id))} />
  );
}
