import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { isFoundBy, useCatalogue } from '../scenarios/use-catalogue.ts';
import { countText } from '../words/moments.ts';
import { useRequestRuns } from './use-request-runs.ts';

/** Which scenarios to run now. */
export function RunDialog({ instance, onClose }: { instance: string; onClose: () => void }) {
  const catalogue = useCatalogue(instance);
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const request = useRequestRuns(instance);
  const found = (catalogue.data ?? []).filter((entry) => isFoundBy(entry, words));
  const toggle = (id: string): void =>
    setChosen((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    );
  const ids = chosen.size > 0 ? [...chosen] : found.map(({ scenario_id }) => scenario_id);
  const run = (): void => request.mutate({ scenarios: ids.map((id) => ({ id })) }, { onSuccess: onClose });
  return (
    <Dialog title="Run" onClose={onClose}>
      <form
        className="run-dialog"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <input
          type="search"
          aria-label="Find scenarios"
          placeholder="id, title or tag"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {catalogue.isPending ? <Skeleton rows={4} /> : null}
        {catalogue.error ? <Problem error={catalogue.error} retry={catalogue.refetch} /> : null}
        <ul className="picks">
          {found.map(({ scenario_id: id, title }) => (
            <li key={id}>
              <label>
                <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
                <span className="run-name">{id}</span> <span className="faint">{title}</span>
              </label>
            </li>
          ))}
        </ul>
        {request.error ? <Problem error={request.error} /> : null}
        <footer className="dialog-foot">
          <span className="faint">They run one after another, in this order.</span>
          <button type="submit" className="strong" disabled={ids.length === 0 || request.isPending}>
            Run {chosen.size === 0 ? 'all ' : ''}
            {countText(ids.length, 'scenario')}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
