import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useHubs } from '../hub/current-hub.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useConnection } from '../session/connection.ts';
import { useCurrentInstance, useInstances } from '../shell/current-instance.ts';
import { fitting } from './fuzzy.ts';
import { type Place, placesOf, runPlace } from './places.ts';

const most = 12;

/** Goes anywhere by typing some of its name (a combobox with a list, by the pattern of WAI-ARIA). */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const [, go] = useLocation();
  const found = usePlaces(typed);
  const open = (place: Place | undefined): void => {
    if (!place) return;
    onClose();
    go(place.path);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) setChosen((chosen + step + found.length) % found.length);
    else if (event.key === 'Enter') open(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <Results found={found} chosen={chosen} onOpen={open}>
        {(listId, optionId) => (
          <input
            type="text"
            role="combobox"
            data-first
            aria-label="Run id, scenario, instance or page"
            placeholder="Run id, scenario, instance or page"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={found.length > 0 ? optionId(chosen) : undefined}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onKeyDown={onKey}
            onChange={({ target }) => {
              setTyped(target.value);
              setChosen(0);
            }}
          />
        )}
      </Results>
    </Dialog>
  );
}

function usePlaces(typed: string): readonly Place[] {
  const { scenarios } = useConnection();
  const { data: instances = [] } = useInstances();
  const current = useCurrentInstance();
  const { data: entries = [] } = useQuery({
    queryKey: ['scenarios', current],
    enabled: current !== undefined,
    queryFn: ({ signal }) => scenarios.all(current ?? '', { signal }),
    staleTime: 60_000,
  });
  const run = runPlace(typed);
  const { data: hubs } = useHubs();
  const places = fitting(typed, placesOf(instances, current, entries, hubs), ({ text }) => text, most);
  return run ? [run, ...places] : places;
}

type ResultsProps = {
  readonly found: readonly Place[];
  readonly chosen: number;
  readonly onOpen: (place: Place) => void;
  readonly children: (listId: string, optionId: (index: number) => string) => ReactNode;
};

function Results({ found, chosen, onOpen, children }: ResultsProps) {
  const id = useId();
  const optionId = (index: number): string => `${id}-${index}`;
  const active = optionId(chosen);
  useEffect(() => {
    document.getElementById(active)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div className="palette">
      {children(id, optionId)}
      <div role="listbox" id={id} aria-label="Places" className="palette-list">
        {found.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the input's
          <div
            key={place.path}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => onOpen(place)}
          >
            <span>{place.text}</span> <span className="faint">{place.kind}</span>
          </div>
        ))}
      </div>
      <p className="faint" role="status">
        {found.length === 0 ? 'Nothing here is called so.' : ''}
      </p>
    </div>
  );
}
