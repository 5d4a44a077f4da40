import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../components/dialog.tsx';
import { useHubs } from '../hub/current-hub.ts';
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
  const entries = usePaletteEntries(query);
  const open = (entry: PaletteEntry | undefined): void => {
    if (!entry) return;
    onClose();
    navigate(entry.path);
  };
  const handleKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0)
      setSelectedIndex((selectedIndex + step + entries.length) % entries.length);
    else if (event.key === 'Enter') open(entries[selectedIndex]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <PaletteResults entries={entries} selectedIndex={selectedIndex} onOpen={open}>
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
              setQuery(target.value);
              setSelectedIndex(0);
            }}
          />
        )}
      </PaletteResults>
    </Dialog>
  );
}

function usePaletteEntries(query: string): readonly PaletteEntry[] {
  const { scenarios } = useClient();
  const { data: instances = [] } = useInstances();
  const current = useCurrentInstance();
  const { data: scenarioEntries = [] } = useQuery({
    queryKey: ['scenarios', current],
    enabled: current !== undefined,
    queryFn: ({ signal }) => scenarios.listAll(current ?? '', { signal }),
    staleTime: 60_000,
  });
  const runEntry = findRunEntry(query);
  const { data: hubs } = useHubs();
  const { data: views } = useViews(current);
  const matches = fuzzyFilter(
    query,
    listPaletteEntries(instances, current, scenarioEntries, hubs, views),
    ({ text }) => text,
    maxResults,
  );
  const partialRuns = useRunsByIdPart(runEntry ? undefined : readRunIdPart(query), current);
  return [...(runEntry ? [runEntry] : []), ...partialRuns, ...matches];
}

const maxRuns = 8;
const searchedRuns = 200;

/** Runs whose id begins with `part`, or contains it among the newest ones of the environment. */
function useRunsByIdPart(part: string | undefined, instance: string | undefined): readonly PaletteEntry[] {
  const { runs } = useClient();
  const range = part === undefined ? undefined : toRunIdRange(part);
  const { data = [] } = useQuery({
    queryKey: ['run-search', range ?? instance],
    enabled: part !== undefined,
    queryFn: async ({ signal }) =>
      (await runs.list(range ? { ...range, limit: maxRuns } : { instance, limit: searchedRuns }, { signal })).items,
    staleTime: 10_000,
  });
  if (part === undefined) return [];
  return data
    .filter(({ run_id: id }) => id.includes(part))
    .slice(0, maxRuns)
    .map(({ run_id: id, scenario_id: scenario }) => toRunPaletteEntry(id, scenario));
}

type PaletteResultsProps = {
  readonly entries: readonly PaletteEntry[];
  readonly selectedIndex: number;
  readonly onOpen: (entry: PaletteEntry) => void;
  readonly children: (listId: string, optionId: (index: number) => string) => ReactNode;
};

function PaletteResults({ entries, selectedIndex, onOpen, children }: PaletteResultsProps) {
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
        {entries.length === 0 ? 'No results.' : ''}
      </p>
    </div>
  );
}
