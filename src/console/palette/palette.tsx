import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../components/dialog.tsx';
import { useDeferredSubmit } from '../components/use-deferred-submit.ts';
import { useHubs } from '../hub/current-hub.ts';
import { useCatalogue } from '../scenarios/use-catalogue.ts';
import { useClient } from '../session/client.ts';
import { useCurrentInstance, useInstances } from '../shell/current-instance.ts';
import { useViews } from '../views/use-views.ts';
import { fuzzyFilter } from './fuzzy.ts';
import {
  findRunEntry,
  listPaletteEntries,
  type PaletteEntry,
  readRunIdPart,
  toRunIdRange,
  toRunPaletteEntry,
} from './palette-entries.ts';

const maxResults = 12;

type PaletteProps = { readonly initialQuery: string; readonly onClose: () => void };

/** The command palette, a combobox with a listbox as in the WAI-ARIA patterns. */
export default function Palette({ initialQuery, onClose }: PaletteProps) {
  const [query, setQuery] = useState(initialQuery);
  const [selectedIndex, setSelectedIndex] = useState(0);
  const [, navigate] = useLocation();
  const { entries, isLoading } = usePaletteEntries(query);
  const open = (entry: PaletteEntry | undefined): void => {
    if (!entry) return;
    onClose();
    navigate(entry.path);
  };
  const opening = useDeferredSubmit(isLoading, () => open(entries[selectedIndex]));
  const handleKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) {
      opening.cancel();
      setSelectedIndex((selectedIndex + step + entries.length) % entries.length);
    }
    // What is shown is opened; the first one that is found later, only while there is none.
    else if (event.key !== 'Enter') return;
    else if (entries.length > 0) open(entries[selectedIndex]);
    else opening.submit();
    event.preventDefault();
  };
  const emptyStatus = isLoading ? 'Loading…' : 'No results.';
  const status = opening.isWaiting ? 'Opens the first result once all are loaded…' : emptyStatus;
  return (
    <Dialog title="Go to" onClose={onClose}>
      <PaletteResults
        entries={entries}
        selectedIndex={selectedIndex}
        status={entries.length === 0 || opening.isWaiting ? status : ''}
        onOpen={open}
      >
        {(listId, optionId) => (
          <input
            type="text"
            role="combobox"
            data-first
            aria-label="Run id, scenario, view, environment or page"
            placeholder="Run id, scenario, view, environment or page"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={entries.length > 0 ? optionId(selectedIndex) : undefined}
            autoComplete="off"
            spellCheck={false}
            value={query}
            onKeyDown={handleKey}
            onChange={({ target }) => {
              opening.cancel();
              setQuery(target.value);
              setSelectedIndex(0);
            }}
          />
        )}
      </PaletteResults>
    </Dialog>
  );
}

type PaletteEntries = { readonly entries: readonly PaletteEntry[]; readonly isLoading: boolean };

function usePaletteEntries(query: string): PaletteEntries {
  const instances = useInstances();
  const current = useCurrentInstance();
  const scenarios = useCatalogue(current, 60_000);
  const hubs = useHubs();
  const views = useViews(current);
  const runEntry = findRunEntry(query);
  const runs = useRunsByIdPart(runEntry ? undefined : readRunIdPart(query), current);
  const matches = fuzzyFilter(
    query,
    listPaletteEntries(instances.data ?? [], current, scenarios.data ?? [], hubs.data, views.data),
    ({ text }) => text,
    maxResults,
  );
  return {
    entries: [...(runEntry ? [runEntry] : []), ...runs.entries, ...matches],
    isLoading: [instances, scenarios, hubs, views, runs].some((source) => source.isLoading),
  };
}

const maxRuns = 8;
const searchedRuns = 200;

/** Runs whose id begins with `part`, or contains it among the newest ones of the environment. */
function useRunsByIdPart(part: string | undefined, instance: string | undefined): PaletteEntries {
  const { runs } = useClient();
  const range = part === undefined ? undefined : toRunIdRange(part);
  const { data = [], isLoading } = useQuery({
    queryKey: ['run-search', range ?? instance],
    enabled: part !== undefined,
    queryFn: async ({ signal }) =>
      (await runs.list(range ? { ...range, limit: maxRuns } : { instance, limit: searchedRuns }, { signal })).items,
    staleTime: 10_000,
  });
  const entries = data
    .filter(({ run_id: id }) => part !== undefined && id.includes(part))
    .slice(0, maxRuns)
    .map(({ run_id: id, scenario_id: scenario }) => toRunPaletteEntry(id, scenario));
  return { entries, isLoading };
}

type PaletteResultsProps = {
  readonly entries: readonly PaletteEntry[];
  readonly selectedIndex: number;
  readonly status: string;
  readonly onOpen: (entry: PaletteEntry) => void;
  readonly children: (listId: string, optionId: (index: number) => string) => ReactNode;
};

function PaletteResults({ entries, selectedIndex, status, onOpen, children }: PaletteResultsProps) {
  const id = useId();
  const optionId = (index: number): string => `${id}-${index}`;
  const active = optionId(selectedIndex);
  useEffect(() => {
    document.getElementById(active)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div className="palette">
      {children(id, optionId)}
      <div role="listbox" id={id} aria-label="Results" className="palette-list">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={entry.path}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === selectedIndex}
            onClick={() => onOpen(entry)}
          >
            <span>{entry.text}</span> <span className="faint">{entry.kind}</span>
          </div>
        ))}
      </div>
      <p className="faint" role="status">
        {status}
      </p>
    </div>
  );
}
