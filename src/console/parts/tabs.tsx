import { type KeyboardEvent, type ReactNode, useId } from 'react';

/** One tab; `note` stands behind its name. */
export type Tab<N extends string> = { readonly name: N; readonly label: string; readonly note?: string | undefined };

type TabsProps<N extends string> = {
  readonly label: string;
  readonly tabs: readonly Tab<N>[];
  readonly chosen: N;
  readonly onChoose: (name: N) => void;
  readonly children: ReactNode;
};

/** Tabs by the pattern of WAI-ARIA: arrows move, the panel belongs to the chosen one. */
export function Tabs<N extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<N>) {
  const id = useId();
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const index = tabs.findIndex(({ name }) => name === chosen);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (!next) return;
    onChoose(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} className="tabs" onKeyDown={move}>
        {tabs.map(({ name, label: text, note }) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {text}
            {note === undefined ? null : <span className="note">{note}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} className="tab-panel">
        {children}
      </div>
    </>
  );
}
