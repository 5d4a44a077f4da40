import { useState } from 'react';
import { matchesSearch } from '../../../client/scenario-search.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useDeferredSubmit } from '../../components/use-deferred-submit.ts';
import { useCatalogue } from '../../scenarios/use-catalogue.ts';
import { formatCount } from '../../text/format.ts';
import { useRequestRuns } from '../use-request-runs.ts';

/** Selects scenarios and runs them; without a selection all that match the search. */
export function RunDialog({ instance, onClose }: { instance: string; onClose: () => void }) {
  const catalogue = useCatalogue(instance);
  const [searchText, setSearchText] = useState('');
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const request = useRequestRuns(instance);
  const matches = (catalogue.data ?? []).filter((entry) => matchesSearch(entry, searchText));
  const toggle = (id: string): void =>
    setSelectedIds((previous) =>
      previous.has(id) ? new Set([...previous].filter((entry) => entry !== id)) : new Set([...previous, id]),
    );
  const ids = selectedIds.size > 0 ? [...selectedIds] : matches.map(({ scenario_id }) => scenario_id);
  const requestSelected = useDeferredSubmit(catalogue.isPending, () => {
    if (ids.length > 0) request.mutate({ scenarios: ids.map((id) => ({ id })) }, { onSuccess: onClose });
  });
  return (
    <Dialog title="Run scenarios" onClose={onClose}>
      <form
        className="run-dialog"
        onSubmit={(event) => {
          event.preventDefault();
          requestSelected.submit();
        }}
      >
        <input
          type="search"
          data-first
          aria-label="Find scenarios"
          placeholder="id, title or tag"
          value={searchText}
          onChange={(event) => {
            requestSelected.cancel();
            setSearchText(event.target.value);
          }}
        />
        {catalogue.isPending ? <Skeleton rows={4} /> : null}
        {catalogue.error ? <ErrorNotice error={catalogue.error} retry={catalogue.refetch} /> : null}
        <ul className="scenario-picks">
          {matches.map(({ scenario_id: id, title }) => (
            <li key={id}>
              <label>
                <input type="checkbox" checked={selectedIds.has(id)} onChange={() => toggle(id)} />
                <span className="run-name">{id}</span> <span className="faint">{title}</span>
              </label>
            </li>
          ))}
        </ul>
        {request.error ? <ErrorNotice error={request.error} /> : null}
        <footer className="dialog-foot">
          <span className="faint">Scenarios run one after another, in this order.</span>
          {catalogue.isPending ? (
            <button type="submit" className="strong" disabled={requestSelected.isWaiting}>
              {requestSelected.isWaiting ? 'Waiting for the scenarios…' : 'Run'}
            </button>
          ) : (
            <button type="submit" className="strong" disabled={ids.length === 0 || request.isPending}>
              Run {selectedIds.size === 0 ? 'all ' : ''}
              {formatCount(ids.length, 'scenario')}
            </button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}
